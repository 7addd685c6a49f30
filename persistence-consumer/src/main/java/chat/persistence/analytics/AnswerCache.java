package chat.persistence.analytics;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.stats.CacheStats;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.cache.CaffeineCacheMetrics;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Caches responses for some seconds. Concurrent identical queries share one computation; failures are not cached.
 * Thread-safe.
 */
final class AnswerCache implements Metrics.Caching {
    /** Maximum number of cached responses: bounds memory if clients send many different queries. */
    private static final int MAX_ENTRIES = 1_000;

    private final Duration age;
    private final @Nullable AsyncCache<String, Kept> cache;

    /** @param computed time of the computation */
    record Kept(Object answer, Instant computed) {}

    /** @param age maximum age of a cached response; zero disables the cache */
    AnswerCache(Duration age, MeterRegistry meters) {
        this.age = age;
        this.cache = age.isZero()
                ? null
                : Caffeine.newBuilder()
                        .expireAfterWrite(age)
                        .maximumSize(MAX_ENTRIES)
                        .recordStats()
                        .buildAsync();
        if (cache != null) {
            var unused = CaffeineCacheMetrics.monitor(meters, cache, "persistence.answers");
        }
    }

    /** Maximum age of a cached response; zero if the cache is disabled. */
    Duration age() {
        return age;
    }

    Mono<Kept> get(String question, Mono<Kept> answer) {
        return cache == null
                ? answer
                : Mono.fromFuture(() -> cache.get(question, (unused, executor) -> answer.toFuture()), true);
    }

    @Override
    public Figures figures() {
        if (cache == null) return new Figures(0, 0, 1, 0, 0);
        CacheStats stats = cache.synchronous().stats();
        return new Figures(
                stats.hitCount(),
                stats.missCount(),
                stats.hitRate(),
                cache.synchronous().estimatedSize(),
                age.toMillis());
    }
}

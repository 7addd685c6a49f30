package chat.kit.admission;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What has a token bucket for each key, such as a user or an address. It is kept until the bucket is full again, so that
 * coming back gains nothing, and then forgotten. More keys than are kept at once do not gain anything either: as long as
 * one that was pushed out could still matter, new buckets begin empty. Thread-safe.
 */
public final class PerKey<K, V> {
    private final Rate rate;
    private final TimeMeter meter;
    private final Function<Bucket, V> around;
    private final Predicate<V> inUse;
    private final Duration kept;
    private final Cache<K, V> cache;
    /** Pushed out while in use: not many, since what uses them is bounded. */
    private final Map<K, V> aside = new ConcurrentHashMap<>();

    private final LongAdder evicted = new LongAdder();
    private volatile boolean everEvicted;
    private volatile long lastEvicted;

    /**
     * @param maxKeys kept at once, about
     * @param kept without being asked for; at least as long as a bucket needs to be full again
     * @param around makes what has the bucket
     * @param inUse whether another one for the same key would do harm, whatever the bucket holds
     */
    public PerKey(
            Rate rate, int maxKeys, Duration kept, TimeMeter meter, Function<Bucket, V> around, Predicate<V> inUse) {
        this.rate = rate;
        this.meter = meter;
        this.around = around;
        this.inUse = inUse;
        this.kept = kept;
        this.cache = Caffeine.newBuilder()
                .maximumSize(maxKeys)
                .expireAfterAccess(kept)
                .ticker(meter::currentTimeNanos)
                // Little work, on whatever thread asks: no other one is needed.
                .executor(Runnable::run)
                .evictionListener(this::gone)
                .build();
    }

    private void gone(@Nullable K key, @Nullable V value, RemovalCause cause) {
        if (cause == RemovalCause.SIZE) {
            lastEvicted = meter.currentTimeNanos();
            everEvicted = true;
            evicted.increment();
        }
        aside.values().removeIf(inUse.negate());
        // Nothing is null that is not weakly referenced.
        if (key != null && value != null && inUse.test(value)) aside.put(key, value);
    }

    public V get(K key) {
        return cache.get(key, this::load);
    }

    private V load(K key) {
        V before = aside.remove(key);
        if (before != null) return before;
        boolean crowded = everEvicted && meter.currentTimeNanos() - lastEvicted < kept.toNanos();
        return around.apply(rate.bucket(crowded ? 0 : rate.burst(), meter));
    }

    /** Keys that are kept, about. */
    public long keys() {
        return cache.estimatedSize() + aside.size();
    }

    /** Keys that were pushed out by others before their time. */
    public long evicted() {
        return evicted.sum();
    }
}

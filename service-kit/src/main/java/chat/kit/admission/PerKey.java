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
 * Keeps an object with a token bucket for each key, such as a user or an address. It is kept until the bucket is full
 * again, so that a client cannot gain tokens by reconnecting. Using many keys gains none either: as long as an evicted
 * bucket would still matter, new buckets start empty. Thread-safe.
 */
public final class PerKey<K, V> {
    private final Rate rate;
    private final TimeMeter meter;
    private final Function<Bucket, V> around;
    private final Predicate<V> inUse;
    private final Duration kept;
    private final Cache<K, V> cache;
    /** Entries evicted while in use; few, because their users are bounded. */
    private final Map<K, V> aside = new ConcurrentHashMap<>();

    private final LongAdder evicted = new LongAdder();
    private volatile boolean everEvicted;
    private volatile long lastEvicted;

    /**
     * @param maxKeys approximate maximum number of keys
     * @param kept time that an unused entry is kept; at least the time in which a bucket becomes full
     * @param around creates the object with the bucket
     * @param inUse whether a second object for the same key would do harm, whatever its bucket contains
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
                // Maintenance is cheap: run it on the calling thread.
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
        // Only weakly referenced values can be null.
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

    /** Returns the approximate number of keys. */
    public long keys() {
        return cache.estimatedSize() + aside.size();
    }

    /** Returns the number of keys evicted early. */
    public long evicted() {
        return evicted.sum();
    }
}

package chat.kit.admission;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.TimeMeter;
import java.net.InetAddress;
import java.util.concurrent.atomic.LongAdder;

/** Limits the rate of requests per client address, without waiting. Thread-safe. */
public final class AddressRate {
    private final PerKey<AddressKey, Bucket> buckets;
    private final LongAdder admitted = new LongAdder();
    private final LongAdder refused = new LongAdder();

    /** @param maxKeys approximate maximum number of addresses kept at once */
    public AddressRate(Rate rate, int maxKeys, TimeMeter meter) {
        this.buckets = new PerKey<>(rate, maxKeys, rate.timeOf(rate.burst()), meter, bucket -> bucket, unused -> false);
    }

    /**
     * Takes a token.
     *
     * @return 0, or the nanoseconds until a token is available
     */
    public long nanosUntilAdmitted(InetAddress client) {
        ConsumptionProbe probe = buckets.get(AddressKey.of(client)).tryConsumeAndReturnRemaining(1);
        (probe.isConsumed() ? admitted : refused).increment();
        return probe.isConsumed() ? 0 : Math.max(1, probe.getNanosToWaitForRefill());
    }

    /** Takes a token and returns the wait in whole seconds, for {@code Retry-After}. */
    public long secondsUntilAdmitted(InetAddress client) {
        return Math.ceilDiv(nanosUntilAdmitted(client), 1_000_000_000L);
    }

    public long admitted() {
        return admitted.sum();
    }

    public long refused() {
        return refused.sum();
    }

    /** Returns the approximate number of addresses kept. */
    public long keys() {
        return buckets.keys();
    }

    /** Returns the number of addresses evicted early because there were too many. */
    public long evicted() {
        return buckets.evicted();
    }
}

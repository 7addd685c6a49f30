package chat.kit.admission;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.TimeMeter;
import java.net.InetAddress;
import java.util.concurrent.atomic.LongAdder;

/** How often each client address may ask: at once or not at all. Thread-safe, never waits. */
public final class AddressRate {
    private final PerKey<AddressKey, Bucket> buckets;
    private final LongAdder admitted = new LongAdder();
    private final LongAdder refused = new LongAdder();

    /** @param maxKeys addresses that are known at once, about */
    public AddressRate(Rate rate, int maxKeys, TimeMeter meter) {
        this.buckets = new PerKey<>(rate, maxKeys, rate.timeOf(rate.burst()), meter, bucket -> bucket, unused -> false);
    }

    /**
     * Takes a token.
     *
     * @return 0, or where there is none the nanoseconds until there is one
     */
    public long nanosUntilAdmitted(InetAddress client) {
        ConsumptionProbe probe = buckets.get(AddressKey.of(client)).tryConsumeAndReturnRemaining(1);
        (probe.isConsumed() ? admitted : refused).increment();
        return probe.isConsumed() ? 0 : Math.max(1, probe.getNanosToWaitForRefill());
    }

    /** The same in whole seconds, as {@code Retry-After} has it. */
    public long secondsUntilAdmitted(InetAddress client) {
        return Math.ceilDiv(nanosUntilAdmitted(client), 1_000_000_000L);
    }

    public long admitted() {
        return admitted.sum();
    }

    public long refused() {
        return refused.sum();
    }

    /** Addresses that are known, about. */
    public long keys() {
        return buckets.keys();
    }

    /** Addresses that were forgotten before their time, since there were too many. */
    public long evicted() {
        return buckets.evicted();
    }
}

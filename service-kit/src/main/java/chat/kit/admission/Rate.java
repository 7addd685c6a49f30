package chat.kit.admission;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;

/**
 * How often something may happen: a bucket of {@code burst} tokens, full in the beginning, into which {@code perSecond}
 * tokens drop evenly. Each time takes one.
 *
 * @param perSecond sustained, 0.001 to 1,000,000; 0: as often as one likes
 * @param burst at once after a pause, 1 to 1,000,000
 * @see <a href="https://bucket4j.com/8.19.0/toc.html#concepts">token buckets in Bucket4j</a>
 */
public record Rate(double perSecond, int burst) {
    private static final double SLOWEST = 0.001;
    private static final int MOST = 1_000_000;

    public Rate {
        if (perSecond != 0 && !(perSecond >= SLOWEST && perSecond <= MOST))
            throw new IllegalArgumentException("per-second must be 0, or 0.001 to 1000000, not " + perSecond);
        if (burst < 1 || burst > MOST) throw new IllegalArgumentException("burst must be 1 to 1000000, not " + burst);
    }

    public boolean isLimited() {
        return perSecond > 0;
    }

    /** How long {@code tokens} take to come. */
    public Duration timeOf(long tokens) {
        return Duration.ofNanos((long) Math.ceil(tokens * 1e9 / perSecond));
    }

    /** A full bucket. */
    public Bucket bucket(TimeMeter meter) {
        return bucket(burst, meter);
    }

    /** @param tokens in the beginning */
    Bucket bucket(long tokens, TimeMeter meter) {
        if (!isLimited()) throw new IllegalStateException("what is not limited needs no bucket");
        // Whole numbers are kept exactly; the period of others is right to a nanosecond.
        boolean whole = perSecond == Math.rint(perSecond);
        long refill = whole ? (long) perSecond : 1;
        Duration period = whole ? Duration.ofSeconds(1) : Duration.ofNanos(Math.round(1e9 / perSecond));
        return Bucket.builder()
                .addLimit(limit ->
                        limit.capacity(burst).refillGreedy(refill, period).initialTokens(tokens))
                .withCustomTimePrecision(meter)
                .build();
    }
}

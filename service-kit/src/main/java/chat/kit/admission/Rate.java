package chat.kit.admission;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;

/**
 * Describes a rate limit: a bucket of {@code burst} tokens, initially full, refilled evenly with {@code perSecond}
 * tokens per second. Each event takes one token.
 *
 * @param perSecond sustained rate, 0.001 to 1,000,000; 0: unlimited
 * @param burst events at once after a pause, 1 to 1,000,000
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

    /** Returns the time in which {@code tokens} tokens are refilled. */
    public Duration timeOf(long tokens) {
        return Duration.ofNanos((long) Math.ceil(tokens * 1e9 / perSecond));
    }

    /** Returns a full bucket. */
    public Bucket bucket(TimeMeter meter) {
        return bucket(burst, meter);
    }

    /** @param tokens initial tokens */
    Bucket bucket(long tokens, TimeMeter meter) {
        if (!isLimited()) throw new IllegalStateException("an unlimited rate has no bucket");
        // Whole rates are exact; the period of others is exact to a nanosecond.
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

package chat.load.plan;

import java.time.Duration;

/**
 * Defines clients that try to connect while members chat and retry after each rejection. It tests a server that is
 * full.
 *
 * @param clients number of clients, all active from the crowd's first second
 * @param after delay after the chat's beginning; members' throughput in this time, except its first third, is the
 *     baseline
 * @param length how long the crowd keeps trying
 * @param keeps share of their throughput that members have to keep during the crowd, above 0 and at most 1
 * @param recovers how soon after the crowd members have to reach {@link #RECOVERED} of the baseline
 */
public record Crowd(int clients, Duration after, Duration length, double keeps, Duration recovers) {
    /** The share of the baseline that counts as recovered. */
    public static final double RECOVERED = 0.9;

    private static final Duration LEAST = Duration.ofSeconds(3);

    public Crowd {
        if (clients < 1) throw new IllegalArgumentException("a crowd is at least 1");
        if (after.compareTo(LEAST) < 0 || length.compareTo(LEAST) < 0)
            throw new IllegalArgumentException(
                    "a crowd comes after 3 seconds or more and goes on for 3 or more: rates are counted by the second");
        if (!(keeps > 0 && keeps <= 1))
            throw new IllegalArgumentException("what is kept must be above 0 and at most 1");
        if (recovers.compareTo(Duration.ofSeconds(1)) < 0)
            throw new IllegalArgumentException("recovering is given at least 1 second");
    }

    /** Time from the chat's beginning until members must have recovered. */
    public Duration end() {
        return after.plus(length).plus(recovers);
    }
}

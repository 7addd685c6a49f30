package chat.load.plan;

import java.time.Duration;

/**
 * Clients that want to come in while the members chat, and try again whenever they are refused: what a server that takes
 * nobody more has to bear.
 *
 * @param clients how many there are, all of them from the crowd's first second on
 * @param after how long after the chat's beginning they come; what the members do before, but for its first third, is what
 *     they are measured by
 * @param length how long they go on
 * @param keeps share of the messages per second that members have to keep meanwhile, above 0 and at most 1
 * @param recovers how soon after the crowd has gone members have to be as fast as before again, but for a tenth
 */
public record Crowd(int clients, Duration after, Duration length, double keeps, Duration recovers) {
    /** At this share of what was before, members are as fast as before. */
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

    /** From the chat's beginning to the last moment at which members may be slow. */
    public Duration end() {
        return after.plus(length).plus(recovers);
    }
}

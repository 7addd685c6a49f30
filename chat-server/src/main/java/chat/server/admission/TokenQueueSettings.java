package chat.server.admission;

import chat.kit.admission.Rate;
import java.time.Duration;

/**
 * How often something may pass, and what becomes of what comes too fast.
 *
 * @param perSecond sustained; 0: not limited
 * @param burst at once after a pause, at least 1
 * @param pending with {@link Policy#QUEUE}, what may wait at once, 1 to 1,000,000
 * @param longestWait with {@link Policy#QUEUE}, what would have to wait longer is refused, 1 ms to 1 minute
 */
public record TokenQueueSettings(double perSecond, int burst, Policy policy, int pending, Duration longestWait) {
    private static final int MOST_PENDING = 1_000_000;
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /** What becomes of what comes too fast. */
    public enum Policy {
        /** Refused at once, with the time after which there is room: a contract with the sender. */
        REJECT,
        /** Waits in its turn, first in first out, for as long as that is allowed: an even load for what is behind. */
        QUEUE
    }

    public TokenQueueSettings {
        Rate unused = new Rate(perSecond, burst);
        if (pending < 1 || pending > MOST_PENDING)
            throw new IllegalArgumentException("pending must be 1 to 1000000, not " + pending);
        if (longestWait.toMillis() < 1 || longestWait.compareTo(LONGEST) > 0)
            throw new IllegalArgumentException("longest-wait must be 1 ms to 1 minute, not " + longestWait);
    }

    /** Refuses each message that exceeds the rate. */
    static TokenQueueSettings rejecting(Rate rate) {
        return new TokenQueueSettings(rate.perSecond(), rate.burst(), Policy.REJECT, 1, LONGEST);
    }

    public Rate rate() {
        return new Rate(perSecond, burst);
    }
}

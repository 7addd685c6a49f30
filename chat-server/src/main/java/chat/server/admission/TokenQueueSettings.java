package chat.server.admission;

import chat.kit.admission.Rate;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.ConstructorBinding;

/**
 * Configures one rate limit.
 *
 * @param perSecond sustained messages per second; 0: unlimited
 * @param burst messages at once after a pause, at least 1
 * @param policy {@code reject} or {@code queue} messages above the rate
 * @param pending with {@link Policy#QUEUE}, messages that may wait at once, 1 to 1,000,000
 * @param longestWait with {@link Policy#QUEUE}, messages that would wait longer are rejected, 1 ms to 1 minute
 */
public record TokenQueueSettings(double perSecond, int burst, Policy policy, int pending, Duration longestWait) {
    /** Messages that may wait at once: bounds the memory of one queue. */
    private static final int PENDING = 2000;

    /** As long as a person waits for an answer. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private static final int MOST_PENDING = 1_000_000;
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /** Handling of messages above the rate. */
    public enum Policy {
        /** Rejects them at once, with the time after which to retry. */
        REJECT,
        /** Queues them first in, first out, up to the limits: smooths the load behind it. */
        QUEUE
    }

    public TokenQueueSettings {
        Rate unused = new Rate(perSecond, burst);
        if (pending < 1 || pending > MOST_PENDING)
            throw new IllegalArgumentException("pending must be 1 to 1000000, not " + pending);
        if (longestWait.toMillis() < 1 || longestWait.compareTo(LONGEST) > 0)
            throw new IllegalArgumentException("longest-wait must be 1 ms to 1 minute, not " + longestWait);
    }

    @ConstructorBinding
    public TokenQueueSettings(double perSecond, int burst, Policy policy) {
        this(perSecond, burst, policy, PENDING, LONGEST_WAIT);
    }

    /** Rejects each message above the rate. */
    static TokenQueueSettings rejecting(Rate rate) {
        return new TokenQueueSettings(rate.perSecond(), rate.burst(), Policy.REJECT, 1, LONGEST);
    }

    public Rate rate() {
        return new Rate(perSecond, burst);
    }
}

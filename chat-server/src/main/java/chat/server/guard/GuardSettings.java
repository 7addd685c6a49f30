package chat.server.guard;

import java.time.Duration;

/**
 * When new sockets are refused.
 *
 * @param retryAfter what those are told who are refused; each is told up to twice as much, so that they come back spread
 */
public record GuardSettings(Duration retryAfter) {
    public GuardSettings {
        if (retryAfter.toSeconds() < 1 || retryAfter.compareTo(Duration.ofMinutes(10)) > 0)
            throw new IllegalArgumentException("retry-after must be 1 second to 10 minutes");
    }
}

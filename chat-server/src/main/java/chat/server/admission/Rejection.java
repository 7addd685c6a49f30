package chat.server.admission;

import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a client that gets no socket.
 *
 * @param status of HTTP, 400 to 599
 * @param retryAfter when to try again, at least 1 s, told in whole seconds; null where trying again would be no use
 * @param reason one lower-case word or several with hyphens, out of a fixed few: a metric has one series for each
 * @param detail for people: what is wrong and what is accepted; null: the reason says it all
 */
public record Rejection(
        int status,
        @Nullable Duration retryAfter,
        String reason,
        @Nullable String detail) {
    private static final Pattern REASON = Pattern.compile("[a-z]+(-[a-z]+)*");

    public Rejection {
        if (status < 400 || status > 599) throw new IllegalArgumentException("status must be 400 to 599");
        if (retryAfter != null && retryAfter.toSeconds() < 1)
            throw new IllegalArgumentException("retryAfter must be at least 1 s");
        if (!REASON.matcher(reason).matches()) throw new IllegalArgumentException("reason must be of a-z and hyphens");
    }

    public Rejection(int status, @Nullable Duration retryAfter, String reason) {
        this(status, retryAfter, reason, null);
    }

    /** The same, explained. */
    public Rejection with(String explanation) {
        return new Rejection(status, retryAfter, reason, explanation);
    }

    /** 403: whoever asks like this gets no socket, ever. */
    public static Rejection forbidden(String reason) {
        return new Rejection(403, null, reason);
    }

    /** 429: this client asks too often. */
    public static Rejection tooMany(Duration retryAfter, String reason) {
        return new Rejection(429, retryAfter, reason);
    }

    /** 503: the server takes nobody now. */
    public static Rejection unavailable(Duration retryAfter, String reason) {
        return new Rejection(503, retryAfter, reason);
    }
}

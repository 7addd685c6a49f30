package chat.server.admission;

import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The response to a client that may not open a WebSocket.
 *
 * @param status HTTP status, 400 to 599
 * @param retryAfter when to retry, at least 1 s, sent in whole seconds; null if retrying is useless
 * @param reason lower-case words joined by hyphens, from a small fixed set: a metric has one series for each
 * @param detail what is wrong and what is accepted; null: the reason suffices
 * @param measured what the server measured, for its log only; null: nothing
 */
public record Rejection(
        int status,
        @Nullable Duration retryAfter,
        String reason,
        @Nullable String detail,
        @Nullable Measured measured) {
    /** When a client may retry that was rejected for lack of capacity; the server spreads it up to twice as long. */
    public static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    /**
     * A reading of a scarce resource and its watermarks, in the unit of the {@link Resource}.
     *
     * @param high the server rejects from here
     * @param low it accepts again below
     */
    public record Measured(double reading, double high, double low) {}

    private static final Pattern REASON = Pattern.compile("[a-z]+(-[a-z]+)*");

    public Rejection {
        if (status < 400 || status > 599) throw new IllegalArgumentException("status must be 400 to 599");
        if (retryAfter != null && retryAfter.toSeconds() < 1)
            throw new IllegalArgumentException("retryAfter must be at least 1 s");
        if (!REASON.matcher(reason).matches()) throw new IllegalArgumentException("reason must be of a-z and hyphens");
    }

    public Rejection(int status, @Nullable Duration retryAfter, String reason) {
        this(status, retryAfter, reason, null, null);
    }

    /** Returns a copy with a detail. */
    public Rejection with(String explanation) {
        return new Rejection(status, retryAfter, reason, explanation, measured);
    }

    /** Returns a copy with what was measured. */
    Rejection with(Measured reading) {
        return new Rejection(status, retryAfter, reason, detail, reading);
    }

    /** 403: this request will never be accepted. */
    public static Rejection forbidden(String reason) {
        return new Rejection(403, null, reason);
    }

    /** 429: this client connects too often or too many times. */
    public static Rejection tooMany(Duration retryAfter, String reason) {
        return new Rejection(429, retryAfter, reason);
    }

    /** 503: the server accepts no clients now. */
    public static Rejection unavailable(Duration retryAfter, String reason) {
        return new Rejection(503, retryAfter, reason);
    }
}

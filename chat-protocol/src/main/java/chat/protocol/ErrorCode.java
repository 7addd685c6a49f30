package chat.protocol;

/**
 * Lists the reasons for rejecting a frame; the connection stays open. docs/reference/protocol.md documents them;
 * numbers never change.
 */
public enum ErrorCode {
    /** The frame violates a rule; {@code errors} lists every fault. Sending it again unchanged fails again. */
    INVALID(100, false),
    /** TEXT, LEAVE or MEMBERS in a room that this session has not joined. */
    NOT_JOINED(101, false),
    /** JOIN of a room that this session has joined or is joining. */
    ALREADY_JOINED(102, false),
    /** {@code userId}, {@code username} or {@code displayName} differ from the JOIN's. */
    IDENTITY_MISMATCH(103, false),
    /** The session has joined the maximum number of rooms. */
    TOO_MANY_ROOMS(104, false),
    /** The sender used this {@code messageId} in this room before; the frame was discarded. Send it with a new id. */
    CONFLICT(105, false),
    /** The session's token does not allow this room, user or name. */
    FORBIDDEN(106, false),
    /** The log is unavailable; the frame was discarded. Send it again after {@code retryAfterMs}. */
    UNAVAILABLE(200, true),
    /** The session exceeds a rate limit; the frame was discarded. Send it again after {@code retryAfterMs}. */
    RATE_LIMITED(201, true);

    private final int number;
    private final boolean retryable;

    ErrorCode(int number, boolean retryable) {
        this.number = number;
        this.retryable = retryable;
    }

    public int number() {
        return number;
    }

    /** Returns whether the same frame may succeed later. */
    public boolean retryable() {
        return retryable;
    }
}

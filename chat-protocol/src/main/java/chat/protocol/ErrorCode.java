package chat.protocol;

/** Why a frame was refused; the connection stays open. The catalogue is docs/reference/protocol.md; numbers never change. */
public enum ErrorCode {
    /** The frame breaks a rule; {@code errors} names every fault. Sending it again unchanged fails again. */
    INVALID(100, false),
    /** TEXT or LEAVE in a room that this session has not joined. */
    NOT_JOINED(101, false),
    /** JOIN of a room that this session is in already. */
    ALREADY_JOINED(102, false),
    /** {@code userId} or {@code username} differ from the JOIN's. */
    IDENTITY_MISMATCH(103, false),
    /** The session is in as many rooms as one may be. */
    TOO_MANY_ROOMS(104, false),
    /** The {@code messageId} is that of another message; nothing of this frame was kept. Send it under a new one. */
    CONFLICT(105, false),
    /** The session's token does not allow this room, this user or this name. */
    FORBIDDEN(106, false),
    /** The log can't be reached; nothing of this frame was kept. Send again after {@code retryAfterMs}. */
    UNAVAILABLE(200, true),
    /** Sent too fast; nothing of this frame was kept. Send again after {@code retryAfterMs}. */
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

    /** Whether the same frame may succeed later. */
    public boolean retryable() {
        return retryable;
    }
}

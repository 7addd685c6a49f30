package chat.protocol;

/**
 * Lists the close codes of the server. RFC 6455 defines 1000-1999. The others tell the client what to do: 4000-4099 do
 * not reconnect, 4100-4199 reconnect with backoff, 4200-4299 reconnect at once. docs/reference/protocol.md documents
 * them; numbers never change.
 */
public enum CloseCode {
    NORMAL(1000, "bye"),
    UNSUPPORTED_DATA(1003, "only text frames are accepted"),
    INTERNAL_ERROR(1011, "internal error; reconnect and resume"),
    NO_ROOM(4000, "no room joined in time"),
    INVALID_ROOM(4002, "the room in the path must be 1 to 64 characters of A-Z a-z 0-9 _ -"),
    TOO_MANY_FAULTS(4001, "too many invalid frames"),
    TOKEN_EXPIRED(4003, "the token has expired; reconnect with a new one"),
    SLOW(4100, "reading too slowly; reconnect and resume"),
    SILENT(4101, "no frames received; reconnect and resume"),
    OVERLOADED(4102, "server at capacity"),
    TOO_FAST(4103, "sending too fast; slow down"),
    GOING_AWAY(4200, "server is stopping; reconnect now"),
    OUTCOME_UNKNOWN(4201, "outcome unknown; reconnect and send again with the same messageId");

    private final int number;
    private final String reason;

    CloseCode(int number, String reason) {
        this.number = number;
        this.reason = reason;
    }

    public int number() {
        return number;
    }

    /** Returns the close reason, at most 123 bytes as RFC 6455 requires. */
    public String reason() {
        return reason;
    }
}

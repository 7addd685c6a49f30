package chat.server.room;

/** Limits that close a socket as too slow when it reaches them. */
public enum SlowCause {
    /** Its outbox exceeded the limit of one socket. */
    OUTBOX,
    /** All outboxes together exceeded their limit, and this socket had a large share. */
    TOTAL,
    /** It read nothing before the deadline. */
    DEADLINE,
    /** It has too many deferred acknowledgements while it catches up. */
    ACKNOWLEDGEMENTS
}

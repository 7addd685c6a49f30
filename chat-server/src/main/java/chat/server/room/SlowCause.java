package chat.server.room;

/** Which bound a socket has reached that is closed as too slow. */
public enum SlowCause {
    /** More waited for it than for one socket may. */
    OUTBOX,
    /** More waited for all sockets than may, and much of it for this one. */
    TOTAL,
    /** It took nothing for too long. */
    DEADLINE,
    /** While it caught up, more of what it sent was accepted than it may have to be told of. */
    ACKNOWLEDGEMENTS
}

package chat.log;

/** Receives what a {@link LogReader} reads, always on the thread of the partition. */
public interface LogListener {
    /** The next entry; each is delivered once, in the order of the log. May block, which pauses reading. */
    void entry(LogEntry entry);

    /**
     * Entries are missing before the next one. If the log was replaced or has lost its tail, the gap may be reported
     * twice: first without its end, and again when its end {@linkplain LogGap#reaches is known}.
     */
    default void gap(LogGap gap) {}

    /** An entry that was written for another epoch; its writer republishes it. */
    default void stale(EntryHeader header) {}

    /** An entry that cannot be decoded; the reader skips it. */
    default void malformed(long offset, byte[] bytes, MalformedEntry why) {}

    /** Reading starts or resumes: the reader has verified that this is the log it knows. */
    default void attached() {}

    /**
     * Only for a reader without a server: no entry has arrived for a while. Either no server writes, or the tail hangs.
     * An owner that appends an entry now finds out which, and ends the silence.
     */
    default void quiet() {}

    /**
     * The log ends below the checkpoint: it has lost its tail, or the replica that serves this reader lags. Called once
     * per subscription.
     */
    default void endsEarly(Checkpoint lookedFor) {}

    /** Reading stopped; the reader subscribes again. */
    default void detached(LogUnavailable cause) {}

    /** The known log is gone; the reader continues with the first entry of the log that replaced it. */
    default void replaced(long knownEpoch) {}
}

package chat.log;

/** What a reader tells its owner, always on the thread of the partition. */
public interface LogListener {
    /** The next entry; each comes once, in the order of the log. May block: the log then waits. */
    void entry(LogEntry entry);

    /**
     * Before the entry that follows, some are missing. Of a log that is another one, or has lost its end, it may be told twice:
     * at once, and when it {@linkplain LogGap#reaches reaches} somewhere.
     */
    default void gap(LogGap gap) {}

    /** An entry that was written for another log than the one it stands in; its owner publishes it again. */
    default void stale(EntryHeader header) {}

    /** An entry that can't be read; it was passed over. */
    default void malformed(long offset, byte[] bytes, MalformedEntry why) {}

    /** Reading goes on where it stopped, or begins: this is the log, and it is the one we know. */
    default void attached() {}

    /**
     * Only for a reader without a server: nothing has come for a while. Nobody may have written, or the tail hangs; whoever
     * writes something now hears which, and ends the silence.
     */
    default void quiet() {}

    /**
     * The log was heard, and ends below what is looked for: it has lost its end, or this replica of it lags. Once for each
     * subscription.
     */
    default void endsEarly(Checkpoint lookedFor) {}

    /** Reading has stopped and will be tried again. */
    default void detached(LogUnavailable cause) {}

    /** The log that we knew is gone: what comes next is read from its first entry. */
    default void replaced(long knownOrigin) {}
}

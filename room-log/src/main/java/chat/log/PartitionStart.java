package chat.log;

/**
 * Decides when a server has started in a partition: when it has read its own HELLO and knows that the log has not lost
 * its tail.
 *
 * <p>The log may have lost its tail before this server started, when no server was left that had read it. A server that
 * has read the log for longer would have noticed. Its messages and rosters prove that it has verified the log; its
 * heartbeats do not. If no such server answers, this one replaces the epoch, so that no position of a lost entry is
 * assigned again. On the partition's loop only.
 */
final class PartitionStart {
    /** The effect of an entry on the start. */
    enum Step {
        NONE,
        /** The own HELLO was read: all older entries have been delivered. */
        HELLO_READ,
        /** Another entry completed the start. */
        STARTED
    }

    private final boolean survivesProcess;
    private final long answerNanos;
    /** The epoch in force at our first HELLO; 0: the HELLO has not been read back yet. */
    private long epoch;

    private long helloReadNanos;
    /** Other servers wrote before our first HELLO; one that still runs answers it. */
    private boolean expectsAnswer;

    private boolean started;

    /**
     * @param survivesProcess whether the log may be older than this process
     * @param answerNanos how long to wait for another server's answer
     */
    PartitionStart(boolean survivesProcess, long answerNanos) {
        this.survivesProcess = survivesProcess;
        this.answerNanos = answerNanos;
    }

    /** Whether messages may be published: no position can be assigned twice any more. */
    boolean isStarted() {
        return started;
    }

    boolean hasReadHello() {
        return epoch != 0;
    }

    /** Whether another server may still answer our HELLO. */
    boolean awaitsAnswer() {
        return !started && expectsAnswer;
    }

    /**
     * Whether this server has read the older entries and no other server has answered in time.
     *
     * @param reading whether the reader has verified the log
     */
    boolean isAlone(boolean reading, long now) {
        return epoch != 0 && !started && reading && (!expectsAnswer || now - helloReadNanos >= answerNanos);
    }

    /** Handles the next entry of the log, until the start is complete. */
    Step read(LogEntry entry, boolean own, long now) {
        if (started) return Step.NONE;
        EntryKind kind = entry.header().kind();
        if (epoch == 0) {
            expectsAnswer |= !own && kind != EntryKind.STORED;
            if (!own || kind != EntryKind.HELLO) return Step.NONE;
            epoch = entry.epoch();
            helloReadNanos = now;
            boolean newLog = entry.header().epoch() == entry.epoch(); // this HELLO started it
            started = newLog || !survivesProcess;
            return Step.HELLO_READ;
        }
        started = entry.epoch() != epoch || (!own && (kind == EntryKind.MESSAGES || kind == EntryKind.ROSTER));
        return started ? Step.STARTED : Step.NONE;
    }
}

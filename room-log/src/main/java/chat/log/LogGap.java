package chat.log;

/**
 * Entries that a reader should have had, and that the log does not have any more or nobody here can read.
 *
 * @param from position after which something may be missing
 * @param to position up to which something may be missing; that of {@code from}: it is not known yet, and told again when it is
 * @param kept of a log that was {@link Reason#REPLACED}: what was read before and has a position below this one still stands in it;
 *     0: nothing is known to
 */
public record LogGap(Reason reason, long from, long to, long kept) {
    public LogGap(Reason reason, long from, long to) {
        this(reason, from, to, 0);
    }

    /** Whether it is known how far it reaches. */
    public boolean reaches() {
        return to > from;
    }

    public enum Reason {
        /** Retention removed entries before they were read. */
        TRUNCATED,
        /** The log is another one, or lost its tail. */
        REPLACED,
        /** The log had lost its tail when this reader began; others had read it. */
        LOST_EARLIER,
        /** The log has it, and this version can't read it. */
        UNREADABLE
    }
}

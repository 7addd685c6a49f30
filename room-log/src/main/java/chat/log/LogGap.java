package chat.log;

/**
 * Entries that a reader should have had, and that the log does not have any more or nobody here can read.
 *
 * @param from position after which something may be missing
 * @param to position up to which something may be missing
 */
public record LogGap(Reason reason, long from, long to) {
    public enum Reason {
        /** Retention removed entries before they were read. */
        TRUNCATED,
        /** The log is another one, or lost its tail. */
        REPLACED,
        /** The log has it, and this version can't read it. */
        UNREADABLE
    }
}

package chat.log;

/**
 * A range of positions whose entries the log has lost or this version cannot decode.
 *
 * @param from position after which entries may be missing
 * @param to position up to which entries may be missing; equal to {@code from} while the end is unknown: the gap is
 *     then reported again when the end is known
 * @param kept if the log was {@link Reason#REPLACED}: entries that were read earlier and have positions below this one
 *     are still in it; 0 if that is not known of any
 */
public record LogGap(Reason reason, long from, long to, long kept) {
    public LogGap(Reason reason, long from, long to) {
        this(reason, from, to, 0);
    }

    /** Whether the end of the gap is known. */
    public boolean reaches() {
        return to > from;
    }

    public enum Reason {
        /** Retention removed entries before they were read. */
        TRUNCATED,
        /** The log was replaced by another, or lost its tail. */
        REPLACED,
        /** The log had lost its tail before this reader started; others had read it. */
        LOST_EARLIER,
        /** The log has the entry, but this version cannot decode it. */
        UNREADABLE
    }
}

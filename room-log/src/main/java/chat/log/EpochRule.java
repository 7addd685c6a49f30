package chat.log;

/**
 * Which origin is in force, entry by entry, and which entries were written for another log. All readers of a log come to
 * the same answers, because they follow from the log alone:
 *
 * <ul>
 *   <li>A log begins with its first HELLO, whose origin is its origin; what stands before was written for an earlier one.
 *   <li>A later HELLO changes the origin if its {@code previousOrigin} is the one in force: a compare-and-set in the log.
 *   <li>Everything else is written by those who know: a higher origin means that we have missed the change, a lower one
 *       that the writer had.
 * </ul>
 *
 * Not thread-safe.
 */
final class EpochRule {
    private long origin;
    private boolean tentative;
    /** The log is read from its very first entry. */
    private boolean fromTheFirst;

    private EpochRule(long origin, boolean tentative) {
        this.origin = origin;
        this.tentative = tentative;
    }

    static EpochRule unknown() {
        return new EpochRule(0, false);
    }

    static EpochRule known(long origin) {
        return new EpochRule(origin, false);
    }

    /** The log may be another one by now: the first entry of one who knows decides, were it lower. */
    static EpochRule tentative(long origin) {
        return new EpochRule(origin, origin != 0);
    }

    /** The origin in force, microseconds since 1970; 0: not known yet. */
    long origin() {
        return origin;
    }

    /** Whether an entry has told it, or it was known. */
    boolean isSure() {
        return origin != 0 && !tentative;
    }

    /** Whether the next entry belongs to this log. */
    boolean admits(long offset, EntryHeader header) {
        if (offset == 0) {
            origin = 0;
            tentative = false;
            fromTheFirst = true;
        }
        boolean hello = header.kind() == EntryKind.HELLO;
        if (origin == 0) {
            if (hello != fromTheFirst) return false;
            origin = header.origin();
            return true;
        }
        if (hello) {
            if (header.previousOrigin() == origin && header.origin() > origin) {
                origin = header.origin();
                tentative = false;
            }
            return true; // one that lost is still a sign of a new server
        }
        if (tentative || header.origin() > origin) {
            origin = header.origin();
            tentative = false;
        }
        return header.origin() == origin;
    }
}

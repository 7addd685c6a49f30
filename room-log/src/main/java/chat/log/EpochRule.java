package chat.log;

/**
 * Decides, entry by entry, which epoch is in force and which entries were written for another epoch. All readers of a
 * log reach the same decisions, because these depend only on the log:
 *
 * <ul>
 * <li>A log starts with its first HELLO, which sets the epoch; entries before it were written for an earlier epoch.
 * <li>A later HELLO changes the epoch if its {@code previousEpoch} is the one in force: a compare-and-set in the log.
 * <li>The writer of any other entry knows the epoch. A higher one means that this reader missed the change, a lower one
 *     that the writer did.
 * </ul>
 *
 * Not thread-safe.
 */
final class EpochRule {
    private long epoch;
    private boolean tentative;
    /** Whether the log is read from its first entry, at offset 0. */
    private boolean fromFirst;

    private EpochRule(long epoch, boolean tentative) {
        this.epoch = epoch;
        this.tentative = tentative;
    }

    static EpochRule unknown() {
        return new EpochRule(0, false);
    }

    static EpochRule known(long epoch) {
        return new EpochRule(epoch, false);
    }

    /** The log may have been replaced: the first entry other than a HELLO decides, even if its epoch is lower. */
    static EpochRule tentative(long epoch) {
        return new EpochRule(epoch, epoch != 0);
    }

    /** The epoch in force, in microseconds since 1970; 0 while it is unknown. */
    long epoch() {
        return epoch;
    }

    /** Whether the epoch is known and not tentative. */
    boolean isSure() {
        return epoch != 0 && !tentative;
    }

    /** Whether the next entry belongs to this log. */
    boolean admits(long offset, EntryHeader header) {
        if (offset == 0) {
            epoch = 0;
            tentative = false;
            fromFirst = true;
        }
        boolean hello = header.kind() == EntryKind.HELLO;
        if (epoch == 0) {
            if (hello != fromFirst) return false;
            epoch = header.epoch();
            return true;
        }
        if (hello) {
            if (header.previousEpoch() == epoch && header.epoch() > epoch) {
                epoch = header.epoch();
                tentative = false;
            }
            return true; // a HELLO that changes nothing still announces a new server
        }
        if (tentative || header.epoch() > epoch) {
            epoch = header.epoch();
            tentative = false;
        }
        return header.epoch() == epoch;
    }
}

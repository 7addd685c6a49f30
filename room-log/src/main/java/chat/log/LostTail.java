package chat.log;

import org.jspecify.annotations.Nullable;

/**
 * Detects that the log lost its tail before this server started, and keeps the lowest epoch in which this server may
 * publish, so that no position is assigned twice. On the partition's loop only.
 */
final class LostTail {
    private static final long NONE = -1;

    private long lowestEpoch;
    /** Position after which entries are lost; the gap is reported when its end is known. */
    private long lostAfter = NONE;

    /** Positions below this epoch have been assigned: nothing may be published in a lower one. */
    long lowestEpoch() {
        return lowestEpoch;
    }

    void raiseLowestEpoch(long epoch) {
        lowestEpoch = Math.max(lowestEpoch, epoch);
    }

    /**
     * Checks a STORED entry. The consumer read the stored entries below the position of its STORED entry. If the stored
     * position is higher, the log has lost its tail since, or was replaced, and the positions up to there are used up.
     *
     * @return whether the lowest epoch rose
     */
    boolean detect(LogEntry entry, StoredThrough stored) {
        long above = Position.epochAbove(stored.position());
        if (stored.position() < entry.position(0) || above <= lowestEpoch || above > Position.MAX_EPOCH) return false;
        lowestEpoch = above;
        if (lostAfter == NONE) lostAfter = entry.position(0) - 1;
        return true;
    }

    /** The gap to report before this entry, once: its end is known when an entry of a higher epoch is read. */
    @Nullable
    LogGap gapBefore(LogEntry entry) {
        if (lostAfter == NONE || entry.epoch() < lowestEpoch) return null;
        LogGap gap = new LogGap(LogGap.Reason.LOST_EARLIER, lostAfter, entry.position(0) - 1);
        lostAfter = NONE;
        return gap;
    }
}

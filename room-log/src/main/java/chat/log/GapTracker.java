package chat.log;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the gap that a reader has to report before its next entry, until the end of the gap is known. Not thread-safe.
 */
final class GapTracker {
    private final LogCounters counters;
    private @Nullable LogGap pending;
    /** The pending gap was reported without its end. */
    private boolean reported;
    /** The epoch in force before the gap. */
    private long epochBefore;

    GapTracker(LogCounters counters) {
        this.counters = counters;
    }

    /** Starts a gap after this checkpoint; an earlier gap whose end is still unknown continues instead. */
    void start(LogGap.Reason reason, Checkpoint last) {
        reported = false;
        if (pending != null) return;
        // The whole entry was handled, so the gap starts after its highest possible position.
        long end = Position.of(last.epoch(), last.offset(), Position.MESSAGES_PER_ENTRY - 1);
        pending = new LogGap(reason, end, end);
        epochBefore = last.epoch();
    }

    /**
     * The gap to report before this entry, or null. After a lost tail, the log is read from its first entry, which has
     * the epoch of before the gap or an older one: the end of the gap is unknown until a higher epoch appears. Such a
     * gap is reported at once, and again with its end.
     *
     * @param followedEpoch the epoch that the reader had verified before this entry; 0: none
     */
    @Nullable
    LogGap before(LogEntry entry, long followedEpoch) {
        LogGap gap = pending;
        if (gap == null) return null;
        boolean replaced = gap.reason() == LogGap.Reason.REPLACED;
        long to = Math.max(gap.from(), entry.position(0) - 1);
        boolean endKnown = !replaced || to > gap.from() || entry.epoch() > epochBefore;
        if (endKnown) pending = null;
        if (reported && !endKnown) return null;
        if (!reported) counters.gaps.increment();
        reported = true;
        // The entry follows entries that were read before the gap, so those are still in the log.
        boolean kept = replaced && followedEpoch == epochBefore;
        return new LogGap(gap.reason(), gap.from(), to, kept ? Position.of(epochBefore, entry.offset(), 0) : 0);
    }
}

package chat.log;

import java.util.concurrent.atomic.LongAdder;

/** Counters of the log's readers and writers since the process started. Thread-safe. */
public final class LogCounters {
    /** Entries appended to the log, republished ones included. */
    public final LongAdder published = new LongAdder();
    /** Entries that were republished because their outcome was unknown. */
    public final LongAdder publishedAgain = new LongAdder();
    /** Entries that the log did not accept: it could not route them, or was not reachable. */
    public final LongAdder returned = new LongAdder();
    /** Entries that the log rejected while it accepted a later one; their messages were rejected. */
    public final LongAdder overtaken = new LongAdder();
    /** Entries that were dropped because they were not read back in time. */
    public final LongAdder overdue = new LongAdder();
    /** Times that an entry was not read back or confirmed in time, so that the channel or connection was replaced. */
    public final LongAdder unanswered = new LongAdder();
    /** Times that the limit of entries not read back was reached, so that the next entry waits. */
    public final LongAdder unreadFull = new LongAdder();
    /** Messages of all own entries that were read back. */
    public final LongAdder accepted = new LongAdder();
    /** Messages rejected because the log was not available. */
    public final LongAdder refused = new LongAdder();
    /** Duplicates of entries that readers dropped. */
    public final LongAdder repeated = new LongAdder();
    /** Entries of another epoch that readers dropped. */
    public final LongAdder stale = new LongAdder();
    /** Entries that readers could not decode. */
    public final LongAdder malformed = new LongAdder();
    /** Entries of kinds that only later versions know, which readers skipped. */
    public final LongAdder later = new LongAdder();
    /** Times that a server's reader subscribed again because no entry arrived in time. */
    public final LongAdder resubscribed = new LongAdder();
    /** Server incarnations whose deduplication window a reader evicted because it tracked too many. */
    public final LongAdder runsForgotten = new LongAdder();
    /** Gaps that readers reported. */
    public final LongAdder gaps = new LongAdder();
    /** Gauge: entries that are appended now and neither confirmed, failed nor read back. */
    public final LongAdder unconfirmed = new LongAdder();

    final EntryListener watch;

    public LogCounters() {
        this(EntryListener.NONE);
    }

    /** @param watch called for each entry that this program publishes */
    public LogCounters(EntryListener watch) {
        this.watch = watch;
    }
}

package chat.log;

import java.util.concurrent.atomic.LongAdder;

/** What happened in the log's readers and writers since the start; any thread may read. */
public final class LogCounters {
    /** Entries handed to the log, repetitions included. */
    public final LongAdder published = new LongAdder();
    /** Entries handed to the log again, because their outcome was unknown. */
    public final LongAdder publishedAgain = new LongAdder();
    /** Entries that the log did not take: it could not route them, or was not there. */
    public final LongAdder returned = new LongAdder();
    /** Entries that the log refused while it took a later one; their messages were refused. */
    public final LongAdder overtaken = new LongAdder();
    /** Entries that were not read back in time and given up. */
    public final LongAdder overdue = new LongAdder();
    /** Times that nothing was heard of an entry for too long, so that another channel or connection took its place. */
    public final LongAdder unanswered = new LongAdder();
    /** Times that as many entries were not read back as may be: the next one waits. */
    public final LongAdder unreadFull = new LongAdder();
    /** Messages of all entries that were read back. */
    public final LongAdder accepted = new LongAdder();
    /** Messages refused because the log was not available. */
    public final LongAdder refused = new LongAdder();
    /** Copies of entries that readers dropped. */
    public final LongAdder repeated = new LongAdder();
    /** Entries for another log that readers dropped. */
    public final LongAdder stale = new LongAdder();
    /** Entries that readers could not read. */
    public final LongAdder malformed = new LongAdder();
    /** Entries of kinds that only later versions know, which readers passed over. */
    public final LongAdder later = new LongAdder();
    /** Readers that missed their own server's heartbeats for too long and subscribed anew. */
    public final LongAdder resubscribed = new LongAdder();
    /** Runs of servers of which a reader forgot what it had read, as there were too many others. */
    public final LongAdder runsForgotten = new LongAdder();
    /** Ranges that readers had to pass over. */
    public final LongAdder gaps = new LongAdder();
    /** Entries handed to the log, neither confirmed nor failed, and not read back: as many as there are now. */
    public final LongAdder unconfirmed = new LongAdder();

    final EntryListener watch;

    public LogCounters() {
        this(EntryListener.NONE);
    }

    /** @param watch told of each entry that is written */
    public LogCounters(EntryListener watch) {
        this.watch = watch;
    }
}

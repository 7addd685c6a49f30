package chat.log;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Watches that this server's entries are read back and confirmed in time. If they are not, it first asks the log to
 * {@linkplain RoomLog#renew replace the channel}, then to {@linkplain RoomLog#unanswered reconnect}. On the partition's
 * loop only, except {@link #readLag}.
 */
final class ReadBackWatchdog {
    /** No entry is unread or unconfirmed. */
    static final long NONE = Long.MIN_VALUE;

    /**
     * Time without reading an entry back after which the channel is replaced. After the loss of a stream's leader, a
     * broker may confirm entries that it has lost, or never answer. Leaves time for two attempts before the entry is
     * overdue.
     */
    private static final long FIRST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(4);

    /** Limit of a start, in multiples of the silence: until then the reader may still be reading older entries. */
    private static final long MAX_START_SILENCES = 4;

    private final RoomLog log;
    private final int partition;
    private final LogSettings settings;
    private final LongSupplier nanoTime;
    private final Loop loop;
    private final LogCounters counters;
    private final EntryAppender appender;
    private final LogReader reader;
    private final Runnable entriesMaybeLost;
    private final Runnable channelReplaced;

    /** When the oldest entry was published that has not been read back. */
    private volatile long unreadSinceNanos = NONE;
    /** Start of the time that the log has to answer before it must reconnect. */
    private long waitingSinceNanos;
    /** Doubles after each replacement that did not help, because the log may only be slow. */
    private long patienceNanos;

    private long replacedNanos = NONE;
    /** The last offset that the reader had received at the last check. */
    private long checkedOffset;

    /**
     * @param entriesMaybeLost called before the log reconnects because entries are not read back
     * @param channelReplaced called on the loop when the log has replaced the channel
     */
    ReadBackWatchdog(
            RoomLog log,
            int partition,
            LogSettings settings,
            LongSupplier nanoTime,
            Loop loop,
            LogCounters counters,
            EntryAppender appender,
            LogReader reader,
            Runnable entriesMaybeLost,
            Runnable channelReplaced) {
        this.log = log;
        this.partition = partition;
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.loop = loop;
        this.counters = counters;
        this.appender = appender;
        this.reader = reader;
        this.entriesMaybeLost = entriesMaybeLost;
        this.channelReplaced = channelReplaced;
        this.waitingSinceNanos = nanoTime.getAsLong();
        this.patienceNanos = firstPatience();
    }

    private long firstPatience() {
        return Math.min(FIRST_PATIENCE_NANOS, settings.silence().toNanos());
    }

    /** When the oldest unread entry was published, or {@link #NONE}. */
    void unreadSince(long nanos) {
        unreadSinceNanos = nanos;
    }

    /** The reader has passed an own entry. */
    void passed() {
        patienceNanos = firstPatience();
    }

    /** How long the oldest unread entry has been published; any thread. */
    Duration readLag() {
        long since = unreadSinceNanos;
        return since == NONE ? Duration.ZERO : Duration.ofNanos(Math.max(0, nanoTime.getAsLong() - since));
    }

    /**
     * Checks the oldest unread and unconfirmed entries. Runs before the start too: a lost HELLO would prevent the
     * start.
     *
     * @param started whether the partition has started
     * @param paused whether this process stood still, so that answers may not have been handled yet
     */
    void check(boolean started, boolean paused) {
        long now = nanoTime.getAsLong();
        // A channel that never confirms keeps all its entries in memory, even if they are read back.
        long unconfirmedSince = appender.oldestReadUnconfirmedNanos(NONE);
        // At the start, the reader first reads the entries before its own HELLO, which may take long.
        boolean catchesUp = !started
                && reader.lastReceived() != checkedOffset
                && now - unreadSinceNanos
                        < MAX_START_SILENCES * settings.silence().toNanos();
        checkedOffset = reader.lastReceived();
        if (!log.isReachable() || catchesUp || (unreadSinceNanos == NONE && unconfirmedSince == NONE)) {
            waitingSinceNanos = now;
            return;
        }
        if (started && !paused) replaceChannelIfUnread(now);
        boolean unread = isOverdue(unreadSinceNanos, now) && readerHadTime(now);
        if (!unread && !isOverdue(unconfirmedSince, now)) return;
        if (paused || !isOverdue(waitingSinceNanos, now)) return;
        waitingSinceNanos = now;
        counters.unanswered.increment();
        if (unread) entriesMaybeLost.run();
        log.unanswered(partition);
    }

    private void replaceChannelIfUnread(long now) {
        if (unreadSinceNanos == NONE) return;
        if (now - unreadSinceNanos < patienceNanos || now - waitingSinceNanos < patienceNanos) return;
        if (replacedNanos != NONE && now - replacedNanos < patienceNanos) return;
        replacedNanos = now;
        patienceNanos = Math.min(2 * patienceNanos, settings.silence().toNanos());
        log.renew(partition)
                .whenComplete((replaced, failure) -> loop.execute(() -> {
                    if (failure == null && replaced) channelReplaced.run();
                }));
    }

    /** A reader that receives no entries may hang: it subscribes again first, which costs less than reconnecting. */
    private boolean readerHadTime(long now) {
        return reader.isReceiving()
                || now - unreadSinceNanos
                        >= settings.silence().plus(reader.slack()).toNanos();
    }

    private boolean isOverdue(long sinceNanos, long now) {
        return sinceNanos != NONE && now - sinceNanos >= settings.silence().toNanos();
    }
}

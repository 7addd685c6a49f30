package chat.persistence.ingest;

import chat.log.EntryHeader;
import chat.log.EntryKind;
import chat.log.NotStored;
import chat.log.RoomLog;
import chat.log.StoredThrough;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes in the log how far a partition is stored, so that chat servers can notify clients. No notification is
 * essential: the next one covers any that could not be written. It publishes after a commit or during silence, not in
 * response to an entry: otherwise its own entries would cause more entries. If it does not read back a notification, it
 * publishes again over another connection. Confined to the partition's thread.
 */
final class StoredNotifier {
    private static final Logger logger = LoggerFactory.getLogger(StoredNotifier.class);
    /** Maximum number of messages not named by a notification yet. */
    private static final int MAX_NOT_STORED = 100_000;

    private static final String WRITER = "persistence-consumer";
    private static final long NOTHING = -1;

    private final RoomLog log;
    private final int partition;
    private final long incarnation;
    private final long intervalNanos;
    private final long retryNanos;
    private final LongSupplier epoch;
    private final BiConsumer<Runnable, Duration> later;
    private final LongSupplier nanoClock;
    private final IngestMetrics metrics;
    private final UnstoredNames names = new UnstoredNames(MAX_NOT_STORED);
    private final LostEnd lostEnd = new LostEnd();
    private final ReadBackCheck readBackCheck;

    private long sequence;
    /** Position to publish next; {@link #NOTHING} if there is none. */
    private long position = NOTHING;
    /** Last stored position, published or not. */
    private long last = NOTHING;
    /** Highest position ever stored, by any consumer; above {@link #last} if the log has lost its end. */
    private long highest = NOTHING;

    private boolean begun;
    /** Another consumer has stored more than was published here. */
    private boolean behind;

    private boolean outstanding;
    private boolean scheduled;
    private long notBefore;

    /**
     * @param incarnation random, made at each start of the consumer
     * @param interval minimum time between two notifications
     * @param retry delay after one that could not be written
     * @param epoch of the log that is being read, microseconds since 1970; 0 while it is not known
     * @param later runs a step on the partition's thread after a delay; callable on any thread
     */
    StoredNotifier(
            RoomLog log,
            int partition,
            long incarnation,
            Duration interval,
            Duration retry,
            LongSupplier epoch,
            BiConsumer<Runnable, Duration> later,
            LongSupplier nanoClock,
            IngestMetrics metrics) {
        this.log = log;
        this.partition = partition;
        this.incarnation = incarnation;
        this.intervalNanos = interval.toNanos();
        this.retryNanos = retry.toNanos();
        this.epoch = epoch;
        this.later = later;
        this.nanoClock = nanoClock;
        this.metrics = metrics;
        this.readBackCheck = new ReadBackCheck(() -> epoch.getAsLong() != 0, later, nanoClock, this::notReadBack);
        this.notBefore = nanoClock.getAsLong();
    }

    /**
     * Starts from a stored position. The first call publishes it, because a consumer that stopped may not have done
     * so. After later calls another consumer stored it and publishes it; if that one stopped, the next {@linkplain
     * #moved move} publishes.
     */
    void begin(long stored) {
        readBackCheck.readerStarts();
        names.nameAgain();
        lostEnd.claimAgain();
        highest = Math.max(highest, stored);
        if (!begun) stored(stored);
        else if (stored != last) behind = true;
    }

    /** Adds messages that could not become rows; the next notification that reaches their position names them. */
    void notStored(List<NotStored> messages) {
        int dropped = names.add(messages);
        if (dropped > 0)
            logger.warn(
                    "Partition {}: more than {} messages in dead_letter wait for a notification, but the log is"
                            + " unavailable; the senders of the oldest {} will not be notified",
                    partition,
                    MAX_NOT_STORED,
                    dropped);
    }

    /** Messages were stored, and everything up to this position. */
    void stored(long upTo) {
        begun = true;
        behind = false;
        position = upTo;
        last = upTo;
        highest = Math.max(highest, upTo);
        proceed();
    }

    /** The position moved without storing messages; publishes only if another consumer had stored the range before. */
    void moved(long upTo) {
        if (behind) stored(upTo);
    }

    /** Handles an entry that was read; ignores entries of other writers. */
    void read(EntryHeader header) {
        if (!isOwn(header)) return;
        readBackCheck.read(header.sequence());
        lostEnd.readBack(header.sequence());
        names.readBack(header.sequence());
    }

    /**
     * Handles an own entry written for another epoch. All readers drop it, but reading it shows that the connection
     * works.
     */
    void stale(EntryHeader header) {
        if (!isOwn(header)) return;
        readBackCheck.read(header.sequence());
        dropped(header.sequence());
        position = Math.max(position, last);
        proceed();
    }

    private boolean isOwn(EntryHeader header) {
        return header.kind() == EntryKind.STORED && header.incarnation() == incarnation;
    }

    /** No reader accepted this entry: the following ones repeat its content. */
    private void dropped(long own) {
        lostEnd.dropped(own);
        names.dropped(own);
    }

    /**
     * Publishes again: if no other publisher is active, reading the entry back shows that the log is readable. It
     * publishes the highest position ever stored because the next publisher must continue above it, even if it was
     * lost.
     */
    void again() {
        position = highest;
        proceed();
    }

    /**
     * Publishes the highest position ever stored into a log that ends below it, so that publishers continue above it
     * unless the log is only a lagging replica.
     *
     * @param knownEpoch epoch of the last stored entry, microseconds since 1970
     */
    void claim(long knownEpoch) {
        if (highest == NOTHING || outstanding) return;
        position = highest;
        publish(knownEpoch);
    }

    /**
     * Publishes that the log has lost its end: messages up to this position are stored or lost. It repeats this until
     * it is read back because chat servers must send a GAP.
     */
    void lostEnd(long upTo) {
        highest = Math.max(highest, upTo);
        lostEnd.lost(highest);
        proceed();
    }

    /** Publishes what is pending, unless it must wait. Also call it once the epoch becomes known. */
    void proceed() {
        if ((position == NOTHING && !lostEnd.isDue()) || outstanding || scheduled) return;
        long knownEpoch = epoch.getAsLong();
        if (knownEpoch == 0) return;
        long wait = notBefore - nanoClock.getAsLong();
        if (wait > 0) {
            scheduled = true;
            later.accept(this::wake, Duration.ofNanos(wait));
        } else {
            publish(knownEpoch);
        }
    }

    private void wake() {
        scheduled = false;
        proceed();
    }

    private void publish(long knownEpoch) {
        EntryHeader header = new EntryHeader(EntryKind.STORED, knownEpoch, 0, incarnation, ++sequence, WRITER);
        StoredThrough content = names.next(lostEnd.next(position));
        long published = content.position();
        lostEnd.published(sequence, published);
        names.published(sequence, content);
        if (published >= position) position = NOTHING;
        outstanding = true;
        notBefore = nanoClock.getAsLong() + intervalNanos;
        log.append(partition, content.encode(header))
                .whenComplete((unused, failure) ->
                        later.accept(() -> appended(header.sequence(), published, failure == null), Duration.ZERO));
        readBackCheck.published(sequence);
    }

    private void appended(long own, long published, boolean confirmed) {
        outstanding = false;
        metrics.notificationAppended(confirmed);
        if (!confirmed) {
            dropped(own);
            if (position == NOTHING) position = published;
            notBefore = nanoClock.getAsLong() + retryNanos;
        }
        proceed();
    }

    private void notReadBack() {
        log.unanswered(partition);
        position = last;
        lostEnd.claimAgain();
        names.nameAgain();
        proceed();
    }
}

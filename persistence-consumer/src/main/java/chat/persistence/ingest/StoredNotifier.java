package chat.persistence.ingest;

import chat.log.EntryHeader;
import chat.log.EntryKind;
import chat.log.LogSettings;
import chat.log.NotStored;
import chat.log.RoomLog;
import chat.log.StoredThrough;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes in the log how far a partition is stored, so that chat servers can notify clients. No notification is
 * essential: the next one covers any that could not be written. It publishes after messages were stored or while
 * nothing is read, never in response to an entry, so it cannot answer itself. If it does not read back a notification,
 * it publishes again over another connection: a broker may lose entries that it has confirmed, or stop confirming.
 * Confined to the partition's thread.
 */
final class StoredNotifier {
    private static final Logger logger = LoggerFactory.getLogger(StoredNotifier.class);
    /** Maximum number of messages not named by a notification yet. */
    private static final int MAX_NOT_STORED = 100_000;

    private static final String WRITER = "persistence-consumer";
    private static final long NOTHING = -1;
    /**
     * Time until a notification must be read back. It doubles after each miss, up to {@link #MAX_PATIENCE}: a reader
     * with hours to catch up receives it late, and a broker that blocks publishers delivers none.
     */
    private static final Duration PATIENCE = LogSettings.DEFAULT.silence();

    private static final Duration MAX_PATIENCE = Duration.ofHours(1);
    private static final Duration LATE = Duration.ofSeconds(1);

    private final RoomLog log;
    private final int partition;
    private final long run;
    private final long intervalNanos;
    private final long retryNanos;
    private final LongSupplier origin;
    private final BiConsumer<Runnable, Duration> later;
    private final LongSupplier nanoClock;
    private final IngestMetrics metrics;

    private long sequence;
    /** Position to publish next; {@link #NOTHING} if there is none. */
    private long position = NOTHING;
    /** Last stored position, published or not. */
    private long last = NOTHING;
    /** Messages that could not become rows, by position, until a notification that names them has been read back. */
    private final NavigableMap<Long, NotStored> notStored = new TreeMap<>();
    /** The names in each notification that was not read back, by its sequence. */
    private final NavigableMap<Long, Named> named = new TreeMap<>();

    /**
     * Position after which the next notification continues: messages up to it are named, though perhaps not read back.
     */
    private long namedThrough = NOTHING;
    /** Highest position ever stored, by any consumer; above {@link #last} if the log has lost its end. */
    private long highest = NOTHING;

    /** End of the lost range, until an entry that claims it is read back. */
    private long claimed = NOTHING;

    /** Sequences of the claiming entries that were not read back. */
    private final NavigableSet<Long> claims = new TreeSet<>();

    /**
     * The next entry must claim the lost range by exactly this position: a higher one does not reveal the loss to chat
     * servers.
     */
    private boolean claimDue;

    private boolean begun;
    /** Another consumer has stored more than was published here. */
    private boolean behind;

    private boolean outstanding;
    private boolean scheduled;
    private long notBefore;
    /** The highest sequence that was read back. */
    private long readBack;

    private boolean watched;
    private Duration patience = PATIENCE;

    /**
     * The range of messages that a notification names: those known after the first position, up to and including the
     * last.
     */
    private record Named(long after, long last) {}

    /**
     * @param run incarnation: random, made at each start of the consumer
     * @param interval minimum time between two notifications
     * @param retry delay after one that could not be written
     * @param origin epoch of the log that is being read, microseconds since 1970; 0 while it is not known
     * @param later runs a step on the partition's thread after a delay; callable on any thread
     */
    StoredNotifier(
            RoomLog log,
            int partition,
            long run,
            Duration interval,
            Duration retry,
            LongSupplier origin,
            BiConsumer<Runnable, Duration> later,
            LongSupplier nanoClock,
            IngestMetrics metrics) {
        this.log = log;
        this.partition = partition;
        this.run = run;
        this.intervalNanos = interval.toNanos();
        this.retryNanos = retry.toNanos();
        this.origin = origin;
        this.later = later;
        this.nanoClock = nanoClock;
        this.metrics = metrics;
        this.notBefore = nanoClock.getAsLong();
    }

    /**
     * Starts from a stored position. The first call publishes it, because a consumer that stopped may not have done
     * so. After later calls another consumer stored it and publishes it; if that one stopped, the next {@linkplain
     * #moved move} publishes.
     */
    void begin(long stored) {
        readBack = sequence; // the reader may start after the entries published so far
        namedThrough = NOTHING;
        claimDue = claimed != NOTHING;
        highest = Math.max(highest, stored);
        if (!begun) stored(stored);
        else if (stored != last) behind = true;
    }

    /** Adds messages that could not become rows; the next notification that reaches their position names them. */
    void notStored(List<NotStored> messages) {
        for (NotStored message : messages)
            if (notStored.put(message.position(), message) == null && message.position() <= namedThrough)
                nameAllAgain();
        if (notStored.size() <= MAX_NOT_STORED) return;
        logger.warn(
                "Partition {}: {} messages in dead_letter wait for a notification, but the log is unavailable; senders of the oldest"
                        + " will not be notified",
                partition,
                notStored.size());
        while (notStored.size() > MAX_NOT_STORED) notStored.pollFirstEntry();
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
        if (header.kind() != EntryKind.STORED || header.run() != run) return;
        readBack = Math.max(readBack, header.sequence());
        claimRead(header.sequence());
        Named names = named.remove(header.sequence());
        if (names != null)
            notStored.subMap(names.after(), false, names.last(), true).clear();
        // Earlier ones are lost, or lie before the position from which the reader started.
        NavigableMap<Long, Named> unread = named.headMap(header.sequence(), false);
        for (Named lost : unread.values()) namedThrough = Math.min(namedThrough, lost.after());
        unread.clear();
    }

    private void claimRead(long sequence) {
        if (claims.contains(sequence)) {
            claims.clear();
            claimed = NOTHING;
            claimDue = false;
        } else if (claims.lower(sequence) != null) { // lost, or before the reader's start
            claims.clear();
            claimDue = true;
        }
    }

    /** Names all messages again, because one that is not named yet lies within a range already named. */
    private void nameAllAgain() {
        named.clear();
        namedThrough = NOTHING;
    }

    /**
     * Handles an own entry written for another epoch. All readers drop it, but reading it shows that the connection
     * works.
     */
    void stale(EntryHeader header) {
        if (header.kind() != EntryKind.STORED || header.run() != run) return;
        readBack = Math.max(readBack, header.sequence());
        repeat(header.sequence());
        position = Math.max(position, last);
        proceed();
    }

    /** No reader accepted this entry: the following ones repeat its content. */
    private void repeat(long dropped) {
        if (claims.remove(dropped)) claimDue = true;
        Named names = named.remove(dropped);
        if (names != null) namedThrough = Math.min(namedThrough, names.after());
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
     * @param knownOrigin epoch of the last stored entry, microseconds since 1970
     */
    void claim(long knownOrigin) {
        if (highest == NOTHING || outstanding) return;
        position = highest;
        announce(knownOrigin);
    }

    /**
     * Publishes that the log has lost its end: messages up to this position are stored or lost. It repeats this until
     * it is read back because chat servers must send a GAP.
     */
    void lostEnd(long upTo) {
        highest = Math.max(highest, upTo);
        claimed = highest;
        claims.clear();
        claimDue = true;
        proceed();
    }

    /** Publishes what is pending, unless it must wait. Also call it once the epoch becomes known. */
    void proceed() {
        if ((position == NOTHING && !claimDue) || outstanding || scheduled) return;
        long knownOrigin = origin.getAsLong();
        if (knownOrigin == 0) return;
        long wait = notBefore - nanoClock.getAsLong();
        if (wait > 0) {
            scheduled = true;
            later.accept(this::wake, Duration.ofNanos(wait));
        } else {
            announce(knownOrigin);
        }
    }

    private void wake() {
        scheduled = false;
        proceed();
    }

    private void announce(long knownOrigin) {
        EntryHeader header = new EntryHeader(EntryKind.STORED, knownOrigin, 0, run, ++sequence, WRITER);
        long wanted = claimDue ? claimed : Math.max(position, claimed);
        StoredThrough next = next(wanted);
        long published = next.position();
        if (published == claimed) {
            claims.add(sequence);
            claimDue = false;
        }
        if (published >= position) position = NOTHING;
        if (!next.notStored().isEmpty()) {
            Named names = new Named(namedThrough, next.notStored().getLast().position());
            named.put(sequence, names);
            namedThrough = names.last();
        }
        outstanding = true;
        notBefore = nanoClock.getAsLong() + intervalNanos;
        log.append(partition, next.encode(header))
                .whenComplete((unused, failure) ->
                        later.accept(() -> done(header.sequence(), published, failure == null), Duration.ZERO));
        watch();
    }

    /** Limits the position to what this entry and those before it can name completely. */
    private StoredThrough next(long wanted) {
        List<NotStored> names = new ArrayList<>();
        for (NotStored message : notStored.tailMap(namedThrough, false).values()) {
            if (message.position() > wanted) break;
            if (names.size() == StoredThrough.MAX_NOT_STORED) return new StoredThrough(message.position() - 1, names);
            names.add(message);
        }
        return new StoredThrough(wanted, names);
    }

    private void watch() {
        if (watched) return;
        watched = true;
        long waitedFor = sequence;
        long due = nanoClock.getAsLong() + patience.toNanos();
        later.accept(() -> checkReadBack(waitedFor, due), patience);
    }

    private void checkReadBack(long waitedFor, long due) {
        watched = false;
        boolean read = readBack >= waitedFor;
        boolean readable = origin.getAsLong() != 0;
        // After a long write, entries that arrived during it are still queued behind this step.
        boolean late = nanoClock.getAsLong() - due > LATE.toNanos();
        if (read || !readable) patience = PATIENCE;
        if (!read && readable && !late) notReadBack();
        if (readBack < sequence) watch();
    }

    private void notReadBack() {
        Duration doubled = patience.multipliedBy(2);
        patience = doubled.compareTo(MAX_PATIENCE) < 0 ? doubled : MAX_PATIENCE;
        log.unanswered(partition);
        position = last;
        claimDue = claimed != NOTHING;
        namedThrough = NOTHING;
        proceed();
    }

    private void done(long appended, long published, boolean written) {
        outstanding = false;
        metrics.announced(written);
        if (!written) {
            repeat(appended);
            if (position == NOTHING) position = published;
            notBefore = nanoClock.getAsLong() + retryNanos;
        }
        proceed();
    }
}

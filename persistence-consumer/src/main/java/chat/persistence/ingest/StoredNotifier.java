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
 * Says in the log up to where a partition is stored, so that chat servers can tell those who want to know. What it says
 * is never needed: one that could not be written is made up for by the next, which says more. Only what was stored makes
 * it speak, or that nothing is read; never what it reads, so it can't answer itself. What it has said and does not read
 * back it says again over another connection: a broker may confirm what it has lost, or confirm nothing. Confined to the
 * partition's thread.
 */
final class StoredNotifier {
    private static final Logger logger = LoggerFactory.getLogger(StoredNotifier.class);
    /** Named by no entry yet. */
    private static final int MOST_NOT_STORED = 100_000;

    private static final String WRITER = "persistence-consumer";
    private static final long NOTHING = -1;
    /**
     * Until it is read back; doubled each time that it is not, up to {@link #MOST_PATIENCE}, since a reader that has hours to
     * catch up comes to it late, and a broker that blocks writers lets nothing come.
     */
    private static final Duration PATIENCE = LogSettings.DEFAULT.silence();

    private static final Duration MOST_PATIENCE = Duration.ofHours(1);
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
    /** Not said yet. */
    private long position = NOTHING;
    /** What was stored last, said or not. */
    private long last = NOTHING;
    /** Messages that could not become rows, by position, until an announcement that names them has been read back. */
    private final NavigableMap<Long, NotStored> notStored = new TreeMap<>();
    /** The names of each announcement that was not read back, by its sequence. */
    private final NavigableMap<Long, Named> named = new TreeMap<>();

    /** The next announcement goes on behind this position: the messages up to it are named, though perhaps not read back. */
    private long namedThrough = NOTHING;
    /** What was ever stored, by whichever consumer; above the last where the log has lost its end. */
    private long highest = NOTHING;

    /** Up to where a lost end reaches, until an entry that says so is read back. */
    private long claimed = NOTHING;

    /** The sequences of entries that say so, and were not read back. */
    private final NavigableSet<Long> claims = new TreeSet<>();

    /** The next entry says so: by this very position, since one above the lost range tells chat servers nothing of it. */
    private boolean claimDue;

    private boolean begun;
    /** Another consumer has stored more than was said here. */
    private boolean behind;

    private boolean outstanding;
    private boolean scheduled;
    private long notBefore;
    /** The highest sequence that was read back. */
    private long heard;

    private boolean watched;
    private Duration patience = PATIENCE;

    /** The positions that an announcement names: all that are not stored, and were known, after the first up to the last. */
    private record Named(long after, long last) {}

    /**
     * @param run random, made at each start of the consumer
     * @param interval between two announcements
     * @param retry after one that could not be written
     * @param origin in force in the log that is read now, microseconds since 1970; 0 while that is not known
     * @param later runs a step on the partition's thread after a time; callable on any thread
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
     * How far it was stored before: said once, as the consumer may have ended before it could say so itself. Later it was
     * another consumer, which says it, unless it ends: then whoever {@linkplain #moved moves} it next does.
     */
    void begin(long stored) {
        heard = sequence; // what was said may stand before the place from which is read now
        namedThrough = NOTHING;
        claimDue = claimed != NOTHING;
        highest = Math.max(highest, stored);
        if (!begun) stored(stored);
        else if (stored != last) behind = true;
    }

    /** Messages that could not become rows: named by the next announcement that reaches them. */
    void notStored(List<NotStored> messages) {
        for (NotStored message : messages)
            if (notStored.put(message.position(), message) == null && message.position() <= namedThrough)
                nameAllAgain();
        if (notStored.size() <= MOST_NOT_STORED) return;
        logger.warn(
                "Partition {}: {} messages are in dead_letter and the log takes no entry that names them; their senders are not"
                        + " told of the oldest",
                partition,
                notStored.size());
        while (notStored.size() > MOST_NOT_STORED) notStored.pollFirstEntry();
    }

    /** Messages were stored, and with them everything up to this position. */
    void stored(long upTo) {
        begun = true;
        behind = false;
        position = upTo;
        last = upTo;
        highest = Math.max(highest, upTo);
        proceed();
    }

    /** The position was moved here, over nothing that anybody waits for, unless another consumer had it before. */
    void moved(long upTo) {
        if (behind) stored(upTo);
    }

    /** An entry was read, perhaps one of ours. */
    void read(EntryHeader header) {
        if (header.kind() != EntryKind.STORED || header.run() != run) return;
        heard = Math.max(heard, header.sequence());
        claimRead(header.sequence());
        Named names = named.remove(header.sequence());
        if (names != null)
            notStored.subMap(names.after(), false, names.last(), true).clear();
        // Those before it are lost, or stand before the place from which is read.
        NavigableMap<Long, Named> unread = named.headMap(header.sequence(), false);
        for (Named lost : unread.values()) namedThrough = Math.min(namedThrough, lost.after());
        unread.clear();
    }

    private void claimRead(long sequence) {
        if (claims.contains(sequence)) {
            claims.clear();
            claimed = NOTHING;
            claimDue = false;
        } else if (claims.lower(sequence) != null) { // lost, or it stands before the place from which is read
            claims.clear();
            claimDue = true;
        }
    }

    /** A message that no announcement has named lies among those of some. */
    private void nameAllAgain() {
        named.clear();
        namedThrough = NOTHING;
    }

    /** An entry of ours was written for another origin: all readers drop it. That it was read shows that the connection works. */
    void stale(EntryHeader header) {
        if (header.kind() != EntryKind.STORED || header.run() != run) return;
        heard = Math.max(heard, header.sequence());
        repeat(header.sequence());
        position = Math.max(position, last);
        proceed();
    }

    /** Nobody has read this entry: those that follow say what it alone said. */
    private void repeat(long dropped) {
        if (claims.remove(dropped)) claimDue = true;
        Named names = named.remove(dropped);
        if (names != null) namedThrough = Math.min(namedThrough, names.after());
    }

    /**
     * Says it once more: where nobody else writes, what comes back tells that the log can be read. Whoever writes there next
     * has to go on above all that was ever stored, were it lost since.
     */
    void again() {
        position = highest;
        proceed();
    }

    /**
     * Says what was ever stored, in a log that ends below it. If that is no replica that lags, whoever writes there goes on above it.
     *
     * @param knownOrigin of what was stored last, microseconds since 1970
     */
    void claim(long knownOrigin) {
        if (highest == NOTHING || outstanding) return;
        position = highest;
        announce(knownOrigin);
    }

    /**
     * Says that the log has lost its end: everything up to this position is stored or gone. It says so again until that is read
     * back, because chat servers have to send a GAP.
     */
    void lostEnd(long upTo) {
        highest = Math.max(highest, upTo);
        claimed = highest;
        claims.clear();
        claimDue = true;
        proceed();
    }

    /** Says what there is to say, unless that must wait; to be called when the origin has become known, too. */
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
        long said = next.position();
        if (said == claimed) {
            claims.add(sequence);
            claimDue = false;
        }
        if (said >= position) position = NOTHING;
        if (!next.notStored().isEmpty()) {
            Named names = new Named(namedThrough, next.notStored().getLast().position());
            named.put(sequence, names);
            namedThrough = names.last();
        }
        outstanding = true;
        notBefore = nanoClock.getAsLong() + intervalNanos;
        log.append(partition, next.encode(header))
                .whenComplete((unused, failure) ->
                        later.accept(() -> done(header.sequence(), said, failure == null), Duration.ZERO));
        watch();
    }

    /** Reaches only as far as it, and those before it, can name all that is not stored. */
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
        later.accept(() -> see(waitedFor, due), patience);
    }

    private void see(long waitedFor, long due) {
        watched = false;
        boolean read = heard >= waitedFor;
        boolean readable = origin.getAsLong() != 0;
        // Behind a write that took long, what was read meanwhile waits behind this step.
        boolean late = nanoClock.getAsLong() - due > LATE.toNanos();
        if (read || !readable) patience = PATIENCE;
        if (!read && readable && !late) notReadBack();
        if (heard < sequence) watch();
    }

    private void notReadBack() {
        Duration doubled = patience.multipliedBy(2);
        patience = doubled.compareTo(MOST_PATIENCE) < 0 ? doubled : MOST_PATIENCE;
        log.unanswered(partition);
        position = last;
        claimDue = claimed != NOTHING;
        namedThrough = NOTHING;
        proceed();
    }

    private void done(long appended, long said, boolean written) {
        outstanding = false;
        metrics.announced(written);
        if (!written) {
            repeat(appended);
            if (position == NOTHING) position = said;
            notBefore = nanoClock.getAsLong() + retryNanos;
        }
        proceed();
    }
}

package chat.server.room;

import chat.log.EntryKind;
import chat.log.LogEntry;
import chat.log.Position;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The epochs of a partition's log, as far as this server has read it. Between two epochs some positions are unused; a
 * message with such a position was in an end that the log has lost. Confined to the partition's thread.
 */
final class Epochs {
    /** Maximum number of epochs in memory; messages of older ones come only from the history. */
    private static final int MAX_EPOCHS = 64;

    /**
     * The entries of one epoch.
     *
     * @param epoch microseconds since 1970
     * @param before position before its first entry
     * @param through position of its last message; {@link Long#MAX_VALUE} for the current epoch
     */
    record Span(long epoch, long before, long through) {}

    /** Positions between two epochs. */
    static final class Hole {
        private final long from;
        private final long unused;
        private final long to;
        /** Messages with positions in this hole are known to have existed. */
        private boolean lossy;

        private Hole(long from, long unused, long to) {
            this.from = from;
            this.unused = unused;
            this.to = to;
        }

        /** Exclusive start: messages may be missing after this position. */
        long from() {
            return from;
        }

        /** Whether a stored or received position belongs to a lost message. */
        boolean proves(long position) {
            return position >= unused && position <= to;
        }

        /** Inclusive end: messages may be missing up to this position. */
        long to() {
            return to;
        }

        boolean isLossy() {
            return lossy;
        }

        /** Records that messages were lost; returns false if that was known. */
        boolean markLossy() {
            boolean isNew = !lossy;
            lossy = true;
            return isNew;
        }
    }

    private static final Span NONE = new Span(0, -1, Long.MAX_VALUE);

    private final List<Span> spans = new ArrayList<>();
    /** One before each span except the first. */
    private final List<Hole> holes = new ArrayList<>();
    /**
     * Highest position in the last entry with messages. A starting server publishes none before it has verified the end
     * of the log.
     */
    private long lastMessages;
    /** The log has lost its end and is read again: the next epoch follows the lost end. */
    private boolean lost;

    /** Reads the next entry. */
    void read(LogEntry entry) {
        long before = entry.position(0) - 1;
        if (spans.isEmpty()) {
            spans.add(new Span(entry.epoch(), before, Long.MAX_VALUE));
            lastMessages = before;
        } else if (spans.getLast().epoch() != entry.epoch()) {
            begin(entry.epoch(), entry.offset(), before);
        }
        if (entry.header().kind() == EntryKind.MESSAGES) lastMessages = entry.position(Position.MESSAGES_PER_ENTRY - 1);
    }

    private void begin(long epoch, long offset, long before) {
        Span last = spans.removeLast();
        long unused = Position.of(last.epoch(), offset, 0);
        // A starting server publishes no messages before the new epoch: messages with these positions are lost.
        Hole hole = new Hole(Math.min(lastMessages, unused - 1), unused, before);
        spans.add(new Span(last.epoch(), last.before(), hole.from));
        hole.lossy = lost;
        lost = false;
        holes.add(hole);
        spans.add(new Span(epoch, before, Long.MAX_VALUE));
        lastMessages = before;
        if (spans.size() <= MAX_EPOCHS) return;
        spans.removeFirst();
        holes.removeFirst();
    }

    /**
     * Handles a log that was replaced or has lost its end, and is read again.
     *
     * @param reaches whether the next entry belongs to the new epoch
     */
    void replaced(boolean reaches) {
        if (reaches && lost) return;
        lost = !reaches;
        spans.clear();
        holes.clear();
    }

    /** Returns the hole that begins at or contains a position; null if there is none. */
    @Nullable
    Hole at(long position) {
        for (Hole hole : holes) if (position >= hole.from && position < hole.to) return hole;
        return null;
    }

    /**
     * Returns the hole that a stored position proves to be a lost end; null if there is none.
     *
     * @param stored is in a hole only if the consumer has stored lost messages
     */
    @Nullable
    Hole provenBy(long stored) {
        for (Hole hole : holes) if (hole.proves(stored)) return hole;
        return null;
    }

    /** Returns the holes that end after the first position, up to the second. */
    List<Hole> holes(long after, long upTo) {
        if (holes.isEmpty()) return List.of();
        return holes.stream().filter(hole -> hole.to > after && hole.to <= upTo).toList();
    }

    /** Returns the epoch of the first message after a position. */
    Span following(long position) {
        for (Span span : spans) if (position < span.through()) return span;
        return NONE;
    }

    /** Returns the epoch that contains a position. */
    Span of(long position) {
        for (Span span : spans.reversed()) if (position > span.before()) return span;
        return spans.isEmpty() ? NONE : spans.getFirst();
    }
}

package chat.server.room;

import chat.log.EntryKind;
import chat.log.LogEntry;
import chat.log.Position;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which origin is in force where in the log, as far as this server has read it. Where one origin follows another, positions
 * are left out; a message that has one of them stood in an end that the log has lost. On the partition's thread.
 */
final class Epochs {
    /** Ages of origins that are remembered: what an older one holds comes from the history alone. */
    private static final int MOST = 64;

    /**
     * The entries of one origin.
     *
     * @param origin microseconds since 1970
     * @param before position before its first entry
     * @param through the last position that one of its messages has; {@link Long#MAX_VALUE} while it is in force
     */
    record Span(long origin, long before, long through) {}

    /** Positions between two origins. */
    static final class Hole {
        private final long from;
        private final long unused;
        private final long to;
        /** Messages that had such positions are known to have been there. */
        private boolean lossy;

        private Hole(long from, long unused, long to) {
            this.from = from;
            this.unused = unused;
            this.to = to;
        }

        /** Position after which something may be missing. */
        long from() {
            return from;
        }

        /** Whether a position that was stored, or read, is one of a message that is gone. */
        boolean proves(long position) {
            return position >= unused && position <= to;
        }

        /** Position up to which something may be missing. */
        long to() {
            return to;
        }

        boolean isLossy() {
            return lossy;
        }

        /** Returns whether that was not known. */
        boolean lost() {
            boolean news = !lossy;
            lossy = true;
            return news;
        }
    }

    private static final Span NONE = new Span(0, -1, Long.MAX_VALUE);

    private final List<Span> spans = new ArrayList<>();
    /** Before each span but the first. */
    private final List<Hole> holes = new ArrayList<>();
    /** The end of the last entry with messages: a server that starts writes none before it knows that the end is kept. */
    private long lastMessages;
    /** The log is read again as it has lost its end: the next origin comes behind that. */
    private boolean lost;

    /** The next entry. */
    void read(LogEntry entry) {
        long before = entry.position(0) - 1;
        if (spans.isEmpty()) {
            spans.add(new Span(entry.origin(), before, Long.MAX_VALUE));
            lastMessages = before;
        } else if (spans.getLast().origin() != entry.origin()) {
            begin(entry.origin(), entry.offset(), before);
        }
        if (entry.header().kind() == EntryKind.MESSAGES) lastMessages = entry.position(Position.MESSAGES_PER_ENTRY - 1);
    }

    private void begin(long origin, long offset, long before) {
        Span last = spans.removeLast();
        long unused = Position.of(last.origin(), offset, 0);
        // Servers that start write no messages before they have a new origin: whatever had these positions is lost.
        Hole hole = new Hole(Math.min(lastMessages, unused - 1), unused, before);
        spans.add(new Span(last.origin(), last.before(), hole.from));
        hole.lossy = lost;
        lost = false;
        holes.add(hole);
        spans.add(new Span(origin, before, Long.MAX_VALUE));
        lastMessages = before;
        if (spans.size() <= MOST) return;
        spans.removeFirst();
        holes.removeFirst();
    }

    /**
     * The log is another one, or has lost its end, and is read again.
     *
     * @param reaches whether the origin that follows is about to be read
     */
    void replaced(boolean reaches) {
        if (reaches && lost) return;
        lost = !reaches;
        spans.clear();
        holes.clear();
    }

    /** The hole that begins at a position or in which it lies. */
    @Nullable
    Hole at(long position) {
        for (Hole hole : holes) if (position >= hole.from && position < hole.to) return hole;
        return null;
    }

    /**
     * The hole that what the consumer says it has stored proves to be a lost end.
     *
     * @param stored never a place in a hole, unless the consumer has read there what is gone, or tells of the whole hole
     */
    @Nullable
    Hole provenBy(long stored) {
        for (Hole hole : holes) if (hole.proves(stored)) return hole;
        return null;
    }

    /** Those that end above a position, and no higher than another. */
    List<Hole> holes(long after, long upTo) {
        if (holes.isEmpty()) return List.of();
        return holes.stream().filter(hole -> hole.to > after && hole.to <= upTo).toList();
    }

    /** Where the messages stand that follow a position. */
    Span following(long position) {
        for (Span span : spans) if (position < span.through()) return span;
        return NONE;
    }

    /** Where a position stands. */
    Span of(long position) {
        for (Span span : spans.reversed()) if (position > span.before()) return span;
        return spans.isEmpty() ? NONE : spans.getFirst();
    }
}

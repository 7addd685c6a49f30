package chat.server.room;

import chat.server.dedup.DedupWindow;
import chat.server.dedup.MessageKey;
import chat.server.dedup.MessageWithDerivedId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes pages of messages that a member reads from the log: without duplicates, and with derived ids for reused ones.
 * Has a small deduplication window of its own, because that of the partition does not reach back as far. Confined to
 * the partition's thread.
 */
final class BacklogPages {
    /** Size of the window in ids: a duplicate in the log soon follows the original. */
    private static final int MAX_IDS = 2_048;

    private final Room room;
    private final DedupWindow ofPartition;
    private final LongSupplier nanoTime;
    private final RoomCounters counters;
    private @Nullable DedupWindow ofMember;

    /** @param ofPartition the deduplication window of the partition */
    BacklogPages(Room room, DedupWindow ofPartition, LongSupplier nanoTime, RoomCounters counters) {
        this.room = room;
        this.ofPartition = ofPartition;
        this.nanoTime = nanoTime;
        this.counters = counters;
    }

    /** Frees the window. */
    void dropIds() {
        if (ofMember == null) return;
        ofMember = null;
        counters.backlogIdsForgotten.increment();
    }

    /** Returns the messages of a piece after a position. The page has a gap if the piece begins after that position. */
    History.Page page(Backlog.Piece piece, long after) {
        long now = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong());
        if (ofMember == null) ofMember = new DedupWindow(MAX_IDS, Long.MAX_VALUE, now, counters.backlogIdsForgotten);
        List<RecentMessage> messages = new ArrayList<>();
        for (Backlog.Found found : piece.messages()) {
            RecentMessage message = unlessDuplicate(found, ofMember, now);
            if (message != null && message.position() > after) messages.add(message);
        }
        List<History.Gap> gaps = new ArrayList<>();
        if (piece.from() > after) gaps.add(new History.Gap(after, piece.from()));
        gaps.addAll(piece.unreadable());
        return new History.Page(messages, false, piece.through(), gaps);
    }

    /** Returns null for a duplicate, and the message with its derived id if its sender had used the id for another. */
    private @Nullable RecentMessage unlessDuplicate(Backlog.Found found, DedupWindow own, long now) {
        RecentMessage message = found.message();
        long earlier = earlier(own, found.keyHigh(), found.keyLow(), found.content(), message, now);
        if (!DedupWindow.isConflict(earlier)) return earlier == DedupWindow.NEW ? message : null;
        MessageWithDerivedId renamed = MessageWithDerivedId.of(room.id(), message.json());
        if (renamed == null) return message;
        MessageKey key = new MessageKey().of(room.key(), renamed.id(), renamed.userId());
        boolean isNew = earlier(own, key.high(), key.low(), found.content(), message, now) == DedupWindow.NEW;
        return isNew ? new RecentMessage(message.position(), renamed.json()) : null;
    }

    /** Returns the answer of either window if it refers to an earlier message, else {@link DedupWindow#NEW}. */
    private long earlier(DedupWindow own, long high, long low, long content, RecentMessage message, long now) {
        long known = ofPartition.look(high, low, content);
        if (isEarlier(known, message)) return known;
        long here = own.firstPosition(high, low, content, message.position(), now);
        return isEarlier(here, message) ? here : DedupWindow.NEW;
    }

    private static boolean isEarlier(long answer, RecentMessage message) {
        return answer != DedupWindow.NEW && DedupWindow.positionOf(answer) < message.position();
    }
}

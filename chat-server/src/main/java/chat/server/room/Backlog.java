package chat.server.room;

import chat.protocol.RoomId;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Messages that lie between what the history has stored and what this server remembers: the log still has them.
 * Thread-safe, does not block. Who does not want an answer any more cancels it: then nothing more is read for it.
 */
interface Backlog {
    /**
     * The first messages of a stretch, ascending. What a turn may cost is bounded, so there may be fewer messages than
     * asked for: {@link Piece#through} tells how far it came.
     *
     * @return fails where the log can't be read
     */
    CompletableFuture<Piece> first(Stretch stretch, int limit);

    /**
     * The last messages of a stretch, ascending; from the last few hundred entries at most, see {@link Piece#from}. Where they
     * are as many as asked for there may be further ones before them.
     *
     * @return fails as {@link #first}
     */
    CompletableFuture<Piece> last(Stretch stretch, int limit);

    /**
     * Where to look.
     *
     * @param origin of the log, as it is known now
     * @param after position; what lies above it is wanted
     * @param upTo position that the log has reached
     */
    record Stretch(RoomId room, long origin, long after, long upTo) {}

    /**
     * What was found.
     *
     * @param from all that the room has after this position is told: above the one asked for where the log begins later, and
     *     where only the last ones were wanted
     * @param messages ascending; what stands in the log twice is here twice
     * @param unreadable ranges that nobody here can read
     * @param through and up to this one
     */
    record Piece(long from, List<Found> messages, List<History.Gap> unreadable, long through) {}

    /**
     * One message, with what tells whether it stood in the log before.
     *
     * @param keyHigh with {@code keyLow} its {@link MessageKey}
     * @param content its {@link ContentHash}
     */
    record Found(long keyHigh, long keyLow, long content, RecentMessage message) {}
}

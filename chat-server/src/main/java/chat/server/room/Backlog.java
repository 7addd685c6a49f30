package chat.server.room;

import chat.protocol.RoomId;
import chat.server.dedup.ContentHash;
import chat.server.dedup.MessageKey;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Messages in the log that are not stored yet and no longer in this server's memory. Thread-safe; does not block.
 * Cancel the returned future to stop reading.
 */
interface Backlog {
    /**
     * Reads the first messages of a stretch, in ascending order. The cost of a read is bounded, so it may return fewer
     * messages than the limit: it is complete up to {@link Piece#through}.
     *
     * @return fails if the log cannot be read
     */
    CompletableFuture<Piece> first(Stretch stretch, int limit);

    /**
     * Reads the last messages of a stretch, in ascending order, from the last 256 entries at most: it is complete after
     * {@link Piece#from}.
     *
     * @return fails as {@link #first}
     */
    CompletableFuture<Piece> last(Stretch stretch, int limit);

    /**
     * A range of the log within one epoch.
     *
     * @param epoch microseconds since 1970
     * @param after exclusive start position
     * @param upTo inclusive end position, which the log has reached
     */
    record Stretch(RoomId room, long epoch, long after, long upTo) {}

    /**
     * The result of a read: all messages of the room after {@code from}, up to {@code through}.
     *
     * @param from exclusive start; above the requested one if the log begins later, or if only the last messages were
     *     read
     * @param messages in ascending order, including duplicates
     * @param unreadable ranges of malformed entries
     * @param through inclusive end
     */
    record Piece(long from, List<Found> messages, List<History.Gap> unreadable, long through) {}

    /**
     * One message, with its key for deduplication.
     *
     * @param keyHigh with {@code keyLow} its {@link MessageKey}
     * @param content its {@link ContentHash}
     */
    record Found(long keyHigh, long keyLow, long content, RecentMessage message) {}
}

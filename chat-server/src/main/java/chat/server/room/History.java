package chat.server.room;

import chat.protocol.RoomId;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Stored messages, for members whose position memory does not reach. Thread-safe; does not block. Cancel the returned
 * future to drop a queued request.
 */
public interface History {
    /** Returns the first messages after a position, in ascending order; fails if the history is unavailable. */
    CompletableFuture<Page> after(RoomId room, long position, int limit);

    /** Returns the last messages before a position, in ascending order; fails if the history is unavailable. */
    CompletableFuture<Page> before(RoomId room, long position, int limit);

    /**
     * A page of messages.
     *
     * @param messages in ascending order. Messages of one position are on one page, so a page may have fewer or more
     *     messages than the limit
     * @param more whether further messages exist in the requested direction
     * @param storedThrough the position through which the partition was stored when the page was read
     * @param gaps ranges within the page that were lost before they were stored
     */
    record Page(List<RecentMessage> messages, boolean more, long storedThrough, List<Gap> gaps) {}

    record Gap(long from, long to) {}
}

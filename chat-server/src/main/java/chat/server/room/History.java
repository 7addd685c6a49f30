package chat.server.room;

import chat.protocol.RoomId;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Where messages are that this server does not have in memory. Thread-safe, does not block. Who does not want an answer any
 * more cancels it: a question that still waits for its turn does not wait any longer.
 */
public interface History {
    /** The first messages after a position, ascending, as {@link Page}; fails where the history can't be reached. */
    CompletableFuture<Page> after(RoomId room, long position, int limit);

    /** The last messages before a position, ascending, as {@link Page}; fails where the history can't be reached. */
    CompletableFuture<Page> before(RoomId room, long position, int limit);

    /**
     * One answer.
     *
     * @param messages ascending; all of a position or none, so that the next page can begin behind it. So there may be fewer
     *     than asked for though there are further ones, or more, where that many are of one position
     * @param more whether there are further ones in the direction asked for
     * @param storedThrough everything of the room's partition up to this position was stored when this was read
     * @param gaps ranges of the answer that were lost before they could be stored
     */
    record Page(List<RecentMessage> messages, boolean more, long storedThrough, List<Gap> gaps) {}

    record Gap(long from, long to) {}
}

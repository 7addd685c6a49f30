package chat.server.room;

import chat.protocol.FrameRules;
import chat.protocol.SendRate;
import chat.server.presence.PresenceSettings;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What rooms keep and tell.
 *
 * @param rate how fast a session may send, as it is told; null: as fast as it likes
 * @param recentMessages that a room keeps in memory, for those who join or resume
 * @param recentBytes of JSON that they may have
 * @param partitionBytes of JSON that all rooms of a partition may keep; beyond it the rooms unused for longest forget
 * @param emptyRooms of a partition, without members here, that keep their last messages; beyond it those unused for longest
 *     are forgotten
 * @param merge under load, the least time between two frames of a room with messages: what comes in between waits for
 *     the next; and the longest wait of one server's messages for those of others that write at the same time; 0: nothing
 *     waits
 * @param rememberedIds message ids known in all partitions together, to find what is sent twice
 * @param storedInterval between two frames that tell a member up to where its room is stored
 * @param partitionGrace after which a partition without members here is read no more; 0: it is read until the end
 * @param keptPartitions which are read until the end, whoever is here
 * @param historyPage messages asked for at once when memory does not reach back
 * @param historyPatience how long to wait for what neither the history nor the log tells at the moment
 * @param backlogReaders temporary readers of the log at once, for what the history does not have yet
 * @param catchUp bounds of catching up
 */
public record RoomSettings(
        String serverId,
        FrameRules rules,
        Duration pingInterval,
        @Nullable SendRate rate,
        int recentMessages,
        int recentBytes,
        long partitionBytes,
        int emptyRooms,
        Duration merge,
        int rememberedIds,
        Duration storedInterval,
        Duration partitionGrace,
        Set<Integer> keptPartitions,
        int historyPage,
        Duration historyPatience,
        int backlogReaders,
        CatchUpSettings catchUp,
        PresenceSettings presence) {
    /** Of one message in a page besides its JSON. */
    static final int MESSAGE_OVERHEAD = 64;

    /** Of JSON, for one character of text, and for everything around the text. */
    private static final int BYTES_PER_CHARACTER = 6;

    private static final int BYTES_AROUND_TEXT = 512;

    public RoomSettings {
        if (recentMessages < 1 || recentBytes < 4096 || partitionBytes < recentBytes)
            throw new IllegalArgumentException(
                    "recentMessages must be at least 1, recentBytes 4096, partitionBytes no less than recentBytes");
        if (emptyRooms < 1) throw new IllegalArgumentException("emptyRooms must be at least 1");
        if (merge.isNegative() || merge.toMillis() > 200)
            throw new IllegalArgumentException("merge must be 0 to 200 ms");
        if (historyPatience.isNegative()) throw new IllegalArgumentException("patience must not be negative");
        if (rememberedIds < 1024) throw new IllegalArgumentException("rememberedIds must be at least 1024");
        if (storedInterval.toMillis() < 10 || storedInterval.compareTo(Duration.ofMinutes(1)) > 0)
            throw new IllegalArgumentException("storedInterval must be 10 ms to 1 minute");
        if (partitionGrace.isNegative()) throw new IllegalArgumentException("partitionGrace must not be negative");
        keptPartitions = Set.copyOf(keptPartitions);
        if (backlogReaders < 1 || backlogReaders > 64)
            throw new IllegalArgumentException("backlogReaders must be 1 to 64");
        if (historyPage < 1 || historyPage > FrameRules.LONGEST_HISTORY)
            throw new IllegalArgumentException("historyPage must be 1 to " + FrameRules.LONGEST_HISTORY);
        if (pageBytes(historyPage, rules) > catchUp.memoryBytes())
            throw new IllegalArgumentException("catch-up.memory must hold the largest page of history: at least "
                    + pageBytes(historyPage, rules) + " bytes, not " + catchUp.memoryBytes());
    }

    /** The most that a page of history takes. */
    long pageBytes() {
        return pageBytes(historyPage, rules);
    }

    private static long pageBytes(int historyPage, FrameRules rules) {
        return Math.max(historyPage, rules.maxHistory())
                * ((long) rules.maxMessageLength() * BYTES_PER_CHARACTER + BYTES_AROUND_TEXT + MESSAGE_OVERHEAD);
    }
}

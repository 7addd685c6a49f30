package chat.server.room;

import chat.protocol.FrameRules;
import chat.protocol.SendRate;
import chat.server.presence.PresenceSettings;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Settings and bounds of rooms.
 *
 * @param rate send rate of a session, as WELCOME states it; null: unlimited
 * @param recentMessages messages that a room keeps in memory for members that join or resume
 * @param recentBytes of JSON of these messages per room
 * @param partitionBytes of JSON in all rooms of a partition; beyond it the least recently used rooms drop theirs
 * @param emptyRooms rooms without local members that a partition keeps in memory; beyond it the least recently used are
 *     evicted
 * @param merge under load, the minimum interval between two MESSAGES frames of a room, and the minimum wait for messages
 *     of other servers; 0: messages never wait
 * @param rememberedIds size of the deduplication window in message ids, over all partitions
 * @param storedInterval between two STORED frames to a member
 * @param partitionGrace time without members after which a partition is closed; 0: never
 * @param keptPartitions standby partitions, which are read even without members
 * @param historyPage messages per request when memory does not reach back far enough
 * @param historyPatience timeout for messages that neither the history nor the log returns
 * @param backlogReaders concurrent temporary readers of the log, for messages that are not stored yet
 * @param catchUp bounds of catch-up
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
    /** Memory of one message in a page besides its JSON, in bytes. */
    static final int MESSAGE_OVERHEAD = 64;

    /** Maximum JSON bytes of one character. */
    private static final int BYTES_PER_CHARACTER = 6;

    /** Maximum JSON bytes of a message besides its text. */
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

    /** Returns the maximum size of a page of history in bytes. */
    long pageBytes() {
        return pageBytes(historyPage, rules);
    }

    private static long pageBytes(int historyPage, FrameRules rules) {
        return Math.max(historyPage, rules.maxHistory())
                * ((long) rules.maxMessageLength() * BYTES_PER_CHARACTER + BYTES_AROUND_TEXT + MESSAGE_OVERHEAD);
    }
}

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
 * @param limits the settings of an operator
 * @param recentMessages messages that a room keeps in memory for members that join or resume
 * @param emptyRooms rooms without local members that a partition keeps in memory; beyond it the least recently used are
 *     evicted
 * @param storedInterval between two STORED frames to a member
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
        RoomLimits limits,
        int recentMessages,
        int emptyRooms,
        Duration storedInterval,
        int historyPage,
        Duration historyPatience,
        int backlogReaders,
        CatchUpSettings catchUp,
        PresenceSettings presence) {
    /** Memory of one message in a page besides its JSON, in bytes. */
    static final int MESSAGE_OVERHEAD = 64;

    /** Bounds the index of a room with many short messages; {@link RoomLimits#recentBytes} bounds the others. */
    private static final int RECENT_MESSAGES = 2048;

    /** Bounds the memory of rooms without local members. */
    private static final int EMPTY_ROOMS = 10_000;

    /** Soon enough for people; the consumer reports as often. */
    private static final Duration STORED_INTERVAL = Duration.ofMillis(250);

    /** Members wait so long at most for history, while the consumer restarts; then they receive a GAP. */
    private static final Duration HISTORY_PATIENCE = Duration.ofSeconds(5);

    /** Each reads a whole partition, so more would compete with the readers of members. */
    private static final int BACKLOG_READERS = 4;

    /** Maximum JSON bytes of one character. */
    private static final int BYTES_PER_CHARACTER = 6;

    /** Maximum JSON bytes of a message besides its text. */
    private static final int BYTES_AROUND_TEXT = 512;

    public RoomSettings {
        if (recentMessages < 1) throw new IllegalArgumentException("recentMessages must be at least 1");
        if (emptyRooms < 1) throw new IllegalArgumentException("emptyRooms must be at least 1");
        if (storedInterval.toMillis() < 10 || storedInterval.compareTo(Duration.ofMinutes(1)) > 0)
            throw new IllegalArgumentException("storedInterval must be 10 ms to 1 minute");
        if (historyPatience.isNegative()) throw new IllegalArgumentException("patience must not be negative");
        if (backlogReaders < 1 || backlogReaders > 64)
            throw new IllegalArgumentException("backlogReaders must be 1 to 64");
        if (historyPage < 1 || historyPage > FrameRules.LONGEST_HISTORY)
            throw new IllegalArgumentException("historyPage must be 1 to " + FrameRules.LONGEST_HISTORY);
        if (pageBytes(historyPage, rules) > catchUp.memoryBytes())
            throw new IllegalArgumentException("the memory of catch-up must hold the largest page of history: at least "
                    + pageBytes(historyPage, rules) + " bytes, not " + catchUp.memoryBytes());
    }

    /** Creates the settings of production, in which the other values are constants. */
    public RoomSettings(
            String serverId,
            FrameRules rules,
            Duration pingInterval,
            @Nullable SendRate rate,
            RoomLimits limits,
            CatchUpSettings catchUp,
            PresenceSettings presence) {
        this(
                serverId,
                rules,
                pingInterval,
                rate,
                limits,
                RECENT_MESSAGES,
                EMPTY_ROOMS,
                STORED_INTERVAL,
                FrameRules.LONGEST_HISTORY,
                HISTORY_PATIENCE,
                BACKLOG_READERS,
                catchUp,
                presence);
    }

    int recentBytes() {
        return Math.toIntExact(limits.recentBytes().toBytes());
    }

    long partitionBytes() {
        return limits.partitionBytes().toBytes();
    }

    int rememberedIds() {
        return limits.rememberedIds();
    }

    Duration partitionGrace() {
        return limits.partitionGrace();
    }

    public Set<Integer> keptPartitions() {
        return limits.keptPartitions();
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

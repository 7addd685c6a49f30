package chat.server.room;

import chat.protocol.FrameRules;
import chat.server.presence.PresenceSettings;
import java.time.Duration;
import java.util.Set;
import org.springframework.util.unit.DataSize;

/** Settings of small rooms: a test changes what matters to it. */
public final class TestRoomSettings {
    private String serverId = "here";
    private Duration pingInterval = Duration.ofSeconds(25);
    private int recentMessages = 10;
    private int recentBytes = 1 << 16;
    private long partitionBytes = 1 << 20;
    private int emptyRooms = 10_000;
    private int rememberedIds = 4096;
    private Duration storedInterval = Duration.ofMillis(250);
    private Duration partitionGrace = Duration.ZERO;
    private Set<Integer> keptPartitions = Set.of();
    private int historyPage = 10;
    private Duration historyPatience = Duration.ofSeconds(5);
    private int backlogReaders = 2;
    private CatchUpSettings catchUp = new CatchUpSettings(64 << 20, 8, 0);
    private PresenceSettings presence = PresenceSettings.DEFAULT;

    public TestRoomSettings serverId(String id) {
        serverId = id;
        return this;
    }

    public TestRoomSettings pingInterval(Duration interval) {
        pingInterval = interval;
        return this;
    }

    public TestRoomSettings recent(int messages, int bytes, long ofPartition) {
        recentMessages = messages;
        recentBytes = bytes;
        partitionBytes = ofPartition;
        return this;
    }

    public TestRoomSettings emptyRooms(int rooms) {
        emptyRooms = rooms;
        return this;
    }

    public TestRoomSettings recentMessages(int messages) {
        recentMessages = messages;
        return this;
    }

    public TestRoomSettings rememberedIds(int ids) {
        rememberedIds = ids;
        return this;
    }

    public TestRoomSettings storedInterval(Duration interval) {
        storedInterval = interval;
        return this;
    }

    public TestRoomSettings history(int page, Duration patience) {
        historyPage = page;
        historyPatience = patience;
        return this;
    }

    public TestRoomSettings partitionGrace(Duration grace) {
        partitionGrace = grace;
        return this;
    }

    public TestRoomSettings keptPartitions(Integer... partitions) {
        keptPartitions = Set.of(partitions);
        return this;
    }

    public TestRoomSettings backlogReaders(int readers) {
        backlogReaders = readers;
        return this;
    }

    public TestRoomSettings catchUp(CatchUpSettings settings) {
        catchUp = settings;
        return this;
    }

    public TestRoomSettings presence(PresenceSettings settings) {
        presence = settings;
        return this;
    }

    public RoomSettings settings() {
        return new RoomSettings(
                serverId,
                FrameRules.DEFAULT,
                pingInterval,
                null,
                new RoomLimits(
                        DataSize.ofBytes(recentBytes),
                        DataSize.ofBytes(partitionBytes),
                        rememberedIds,
                        partitionGrace,
                        keptPartitions),
                recentMessages,
                emptyRooms,
                storedInterval,
                historyPage,
                historyPatience,
                backlogReaders,
                catchUp,
                presence);
    }
}

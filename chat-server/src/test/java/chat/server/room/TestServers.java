package chat.server.room;

import chat.log.InMemoryRoomLog;
import chat.log.LogCounters;
import chat.log.LogSettings;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;

/** Rooms of several servers on one log in memory, by one stepped clock. */
final class TestServers implements AutoCloseable {
    private static final int SLOW_MESSAGES = 6;

    final SteppedClock clock = new SteppedClock();
    private final InMemoryRoomLog memory;
    final BreakableLog log;
    private final List<Rooms> all = new ArrayList<>();

    TestServers(int partitions) {
        memory = new InMemoryRoomLog(partitions, 16 << 20, clock);
        log = new BreakableLog(memory);
    }

    Rooms start(RoomSettings settings, History history, RoomCounters counters) {
        return start(settings, clock, history, counters);
    }

    /** @param its what that server takes for the time of day */
    Rooms start(RoomSettings settings, Clock its, History history, RoomCounters counters) {
        Rooms rooms = TestRooms.of(
                log, settings, LogSettings.DEFAULT, its, clock::nanoTime, history, new LogCounters(), counters);
        all.add(rooms);
        return rooms;
    }

    /** The one that was started last. */
    Rooms last() {
        return all.getLast();
    }

    /** Lets a member send messages that take long, so that frames of its server wait for more messages. */
    void makeBusy(FakeMember member) {
        for (int i = 0; i < SLOW_MESSAGES; i++) {
            log.hold();
            member.text("slow " + i);
            Awaitility.await().until(() -> log.held() == 1);
            clock.step(Duration.ofMillis(100));
            log.mend();
            member.awaitHeard("slow " + i);
        }
    }

    @Override
    public void close() {
        all.forEach(Rooms::close);
        memory.close();
    }
}

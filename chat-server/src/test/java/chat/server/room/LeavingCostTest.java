package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import chat.log.LogCounters;
import chat.log.LogSettings;
import chat.protocol.ClientFrame.Since;
import chat.protocol.RoomId;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Leaving costs the same in a small and in a large room. Counts work, not time. */
class LeavingCostTest {
    private static final RoomId ROOM = new RoomId("room");
    private static final int LEAVING = 20;

    private final InMemoryRoomLog log = new InMemoryRoomLog(1, 1 << 20, Clock.systemUTC());
    private final RoomSettings settings = new TestRoomSettings().settings();
    private final Rooms rooms = TestRooms.of(
            log,
            settings,
            LogSettings.DEFAULT,
            Clock.systemUTC(),
            new FakeHistory(),
            new LogCounters(),
            new RoomCounters());
    /** All members on one event loop, the worst case: this thread. */
    private final EventLoopQueue queue = new EventLoopQueue(Runnable::run, 1 << 20);

    @AfterEach
    void close() {
        rooms.close();
        log.close();
    }

    private List<Membership> members(Room room, int count) {
        return members(room, count, List.of(queue));
    }

    private List<Membership> members(Room room, int count, List<EventLoopQueue> queues) {
        List<Membership> members = new ArrayList<>();
        for (int user = 1; user <= count; user++) {
            EventLoopQueue its = queues.get(user % queues.size());
            Membership member = new FakeMember(rooms, Clock.systemUTC(), ROOM, user, new Since.Now(), its).membership();
            room.admit(member);
            room.finish(member);
            members.add(member);
        }
        return members;
    }

    /** The number of members that were moved because the first members left. */
    private int moved(int size) {
        Room room = new Room(ROOM, settings, 0, () -> 0);
        List<Membership> members = members(room, size);
        int moved = 0;
        for (int i = 0; i < LEAVING; i++) {
            List<Membership> others = members.subList(i + 1, size);
            List<Integer> places = others.stream().map(other -> other.place).toList();
            room.remove(members.get(i));
            for (int j = 0; j < others.size(); j++) if (others.get(j).place != places.get(j)) moved++;
        }
        assertThat(room.liveMembers()).isEqualTo(size - LEAVING);
        return moved;
    }

    @Test
    void leavingMovesAtMostOneOtherMember() {
        assertThat(moved(50)).isLessThanOrEqualTo(LEAVING);
        assertThat(moved(5_000)).isLessThanOrEqualTo(LEAVING);
    }

    @Test
    void leavingTouchesOnlyItsOwnEventLoop() {
        List<Integer> asked = new ArrayList<>();
        List<EventLoopQueue> queues = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            int number = i;
            queues.add(new EventLoopQueue(
                    step -> {
                        asked.add(number);
                        step.run();
                    },
                    1 << 20));
        }
        Room room = new Room(ROOM, settings, 0, () -> 0);
        List<Membership> members = members(room, 640, queues);
        asked.clear();
        for (int i = 0; i < LEAVING; i++) room.remove(members.get(i));
        assertThat(asked).hasSize(LEAVING).doesNotHaveDuplicates();
    }

    /** Bytes allocated while members left: a copy of the list would show. */
    private long allocated(int size) {
        Room room = new Room(ROOM, settings, 0, () -> 0);
        List<Membership> members = members(room, size);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < LEAVING; i++) room.remove(members.get(i));
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    @Test
    void leavingCopiesNothing() {
        allocated(50); // warm up one-time allocations
        long small = allocated(50);
        assertThat(allocated(5_000)).isLessThan(small + 4_096); // the list alone has 20,000 bytes or more
    }
}

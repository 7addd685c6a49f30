package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import chat.log.LogCounters;
import chat.log.LogSettings;
import chat.protocol.ClientFrame.Since;
import chat.protocol.CloseCode;
import chat.protocol.RoomId;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Counters of bounds that clients cannot see. */
class BoundsTest {
    private static final RoomId ROOM = new RoomId("room");

    private final SteppedClock clock = new SteppedClock();
    private final InMemoryRoomLog log = new InMemoryRoomLog(1, 64 << 20, clock);
    private final RoomCounters counters = new RoomCounters();
    private final List<Rooms> servers = new ArrayList<>();

    private final FakeHistory history = new FakeHistory();

    private Rooms server(TestRoomSettings settings) {
        Rooms rooms = TestRooms.of(
                log,
                settings.serverId("here").settings(),
                LogSettings.DEFAULT,
                clock,
                history,
                new LogCounters(),
                counters);
        servers.add(rooms);
        return rooms;
    }

    private FakeMember member(Rooms rooms, RoomId room) {
        return new FakeMember(rooms, clock, room, 1, new Since.Now()).joined();
    }

    private static ByteBuf frame() {
        return Frames.text("{\"six\":6}".getBytes(StandardCharsets.UTF_8));
    }

    @AfterEach
    void close() {
        servers.forEach(Rooms::close);
        log.close();
    }

    @Test
    void partitionWaitsForASlowerEventLoop() throws Exception {
        BlockingQueue<Runnable> loop = new LinkedBlockingQueue<>();
        LongAdder waits = new LongAdder();
        ByteBuf one = frame();
        int size = one.readableBytes();
        one.release();
        EventLoopQueue queue = new EventLoopQueue(loop::add, size + 1, waits);
        DirectSubscriber socket = member(server(new TestRoomSettings()), ROOM);
        Thread partition = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 2; i++) {
                EventLoopQueue.Batch batch = queue.batch();
                batch.add(TestMembership.of(socket), frame());
                batch.submit();
            }
        });
        Awaitility.await().until(() -> waits.sum() == 1);
        assertThat(queue.bytes()).isEqualTo(2L * size);
        Runnable first = loop.poll(10, TimeUnit.SECONDS);
        assertThat(first).isNotNull();
        first.run();
        partition.join();
        assertThat(waits.sum()).isEqualTo(1);
        assertThat(queue.bytes()).isEqualTo(size);
        loop.remove().run();
    }

    @Test
    void ofTooManyRoomsWithoutMembersThoseUnusedForLongestAreForgotten() {
        Rooms rooms = server(new TestRoomSettings().emptyRooms(8));
        for (int i = 0; i < 8; i++) {
            FakeMember visitor = member(rooms, new RoomId("visited-" + i));
            visitor.leave();
            visitor.await("LEAVE", () -> visitor.heard().contains("LEAVE 1"));
        }
        assertThat(counters.emptyForgotten.sum()).isZero();
        FakeMember last = member(rooms, new RoomId("visited-last"));
        last.leave();
        FakeMember stays = member(rooms, ROOM);
        stays.said("and now");
        assertThat(counters.emptyForgotten.sum()).isPositive();
        assertThat(counters.recentForgotten.sum()).isZero();
    }

    @Test
    void roomIsKeptWhileADepartedMemberCatchesUp() {
        Rooms rooms = server(new TestRoomSettings().emptyRooms(1).recentMessages(100));
        FakeMember anna = member(rooms, ROOM);
        for (int i = 0; i < 30; i++) anna.said("t" + i);
        FakeMember slow = new FakeMember(
                rooms, clock, ROOM, 2, new Since.Resume(anna.recent().getFirst().position()));
        slow.keepsUp(false);
        slow.join();
        UUID left = slow.leave();
        anna.awaitHeard("LEAVE 2");
        anna.leave();
        anna.awaitHeard("LEAVE 1");
        for (int i = 0; i < 5; i++) member(rooms, new RoomId("visited-" + i)).leave();
        FakeMember last = member(rooms, new RoomId("visited-last"));
        assertThat(counters.emptyForgotten.sum()).isPositive();

        slow.joinAgain(new Since.Now());
        last.said("they have joined by now");
        slow.keepsUp(true);
        slow.said("back");

        assertThat(slow.acks()).contains(left.toString());
        assertThat(slow.frames("MESSAGES").stream().map(FakeMember::position)).isSorted();
    }

    @Test
    void roomsWithMembersForgetWhereAllOfAPartitionTakeTooMuchMemory() {
        Rooms rooms = server(new TestRoomSettings().recent(100, 4096, 4096));
        FakeMember one = member(rooms, new RoomId("one"));
        FakeMember two = member(rooms, new RoomId("two"));
        for (int i = 0; i < 10; i++) {
            one.said("x".repeat(300));
            two.said("x".repeat(300));
        }
        assertThat(counters.recentForgotten.sum()).isPositive();
        assertThat(counters.emptyForgotten.sum()).isZero();
    }

    /** A member that resumed from the first of 30 messages and stops reading after the first page. */
    private FakeMember slow(Rooms rooms) {
        FakeMember anna = member(rooms, ROOM);
        for (int i = 0; i < 30; i++) anna.said("t" + i);
        history.store(anna.recent());
        FakeMember slow = new FakeMember(
                rooms, clock, ROOM, 2, new Since.Resume(anna.recent().getFirst().position()));
        history.beforeNextAnswer(() -> slow.keepsUp(false));
        return slow.join();
    }

    @Test
    void pageIsCountedUntilItIsSent() {
        Rooms rooms = server(new TestRoomSettings().recentMessages(2).history(7, Duration.ofMinutes(1)));
        FakeMember slow = slow(rooms);
        slow.await("a page", () -> counters.pageMessages.sum() == 7);
        slow.keepsUp(true);
        slow.awaitHeard("JOIN 2");
        assertThat(slow.heard()).startsWith("t0").hasSize(31);
        slow.await("nothing held", () -> counters.pageMessages.sum() == 0);
    }

    @Test
    void pageOfAMemberThatLeftIsNotCounted() {
        Rooms rooms = server(new TestRoomSettings().recentMessages(2).history(7, Duration.ofMinutes(1)));
        FakeMember slow = slow(rooms);
        slow.await("a page", () -> counters.pageMessages.sum() == 7);
        slow.close(CloseCode.GOING_AWAY);
        slow.await("nothing held", () -> counters.pageMessages.sum() == 0);
    }

    @Test
    void tooManyDeferredAcksCloseASlowMember() {
        Rooms rooms = server(new TestRoomSettings().recentMessages(2).history(7, Duration.ofMinutes(1)));
        FakeMember slow = slow(rooms);
        slow.await("a page", () -> counters.pageMessages.sum() == 7);
        for (int i = 0; i <= 10_000; i++) slow.textWhenThereIsRoom("x");
        slow.await("the end", () -> slow.slowFor() != null);
        assertThat(slow.slowFor()).isEqualTo(SlowCause.ACKNOWLEDGEMENTS);
        assertThat(slow.closed()).isEqualTo(CloseCode.SLOW);
    }

    @Test
    void readThatFindsManyOtherRoomsEndsAndIsCounted() {
        Rooms rooms = server(new TestRoomSettings().recentMessages(2));
        FakeMember anna = member(rooms, ROOM);
        anna.said("t0");
        long from = anna.lastPosition();
        FakeMember other = member(rooms, new RoomId("other"));
        for (int i = 0; i < 100; i++) other.said("x".repeat(400_000));
        for (int i = 1; i < 5; i++) anna.said("t" + i);
        history.reachable(false);
        FakeMember again = new FakeMember(rooms, clock, ROOM, 2, new Since.Resume(from)).joined();
        again.awaitHeard("JOIN 2");
        assertThat(again.heard()).containsExactly("t1", "t2", "t3", "t4", "JOIN 2");
        assertThat(counters.backlogTurnsCut.sum()).isPositive();
    }
}

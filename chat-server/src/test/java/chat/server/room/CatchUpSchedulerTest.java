package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.protocol.ClientFrame.Since;
import chat.protocol.CloseCode;
import chat.protocol.Member;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CatchUpSchedulerTest {
    private static final long MEMORY = 16 << 20;
    private static final int READS = 4;

    private final RoomCounters counters = new RoomCounters();
    private final List<CatchUpScheduler.Permit> permits = new ArrayList<>();
    private boolean heapShort;
    private long nanos;

    private final CatchUpScheduler scheduler = scheduler(READS, 0);

    private CatchUpScheduler scheduler(int reads, long userBytesPerSecond) {
        return new CatchUpScheduler(
                settings(reads, userBytesPerSecond), () -> heapShort, new NanoMeter(() -> nanos), counters);
    }

    private static RoomSettings settings(int reads, long userBytesPerSecond) {
        return new TestRoomSettings()
                .history(500, Duration.ofSeconds(5))
                .catchUp(new CatchUpSettings(MEMORY, reads, userBytesPerSecond))
                .settings();
    }

    private static final long PAGE = settings(READS, 0).pageBytes();

    private static final class Socket extends DirectSubscriber implements Membership.Refusals {
        private final String id = UUID.randomUUID().toString();
        boolean token = true;

        @Override
        public String id() {
            return id;
        }

        @Override
        public boolean hasToken() {
            return token;
        }

        @Override
        public void write(ByteBuf frame) {
            frame.release();
        }

        @Override
        public void close(CloseCode code) {}

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void joinRefused(Membership membership, @Nullable UUID messageId) {}

        @Override
        public void textRefused(Membership membership, @Nullable UUID messageId) {}

        @Override
        public void conflict(Membership membership, MessageType type, @Nullable UUID messageId) {}

        @Override
        public void leaveRefused(Membership membership, @Nullable UUID messageId) {}
    }

    private static Membership membership(Socket socket, int user) {
        return new Membership(
                new RoomId("room"),
                new Member(Integer.toString(user), "user" + user),
                new Since.Now(),
                false,
                socket,
                socket);
    }

    private CatchUpScheduler.Permit permit(CatchUpScheduler of, Socket socket, int user) {
        CatchUpScheduler.Permit permit = of.permit(membership(socket, user));
        permits.add(permit);
        return permit;
    }

    private CatchUpScheduler.Permit permit(Socket socket, int user) {
        return permit(scheduler, socket, user);
    }

    @AfterEach
    void nothingIsLeftWhenAllHaveEnded() {
        permits.forEach(CatchUpScheduler.Permit::release);
        assertThat(counters.catchUpBytes.sum()).isZero();
        assertThat(counters.catchUpWaiting.sum()).isZero();
        CatchUpScheduler.Permit next = permit(new Socket(), 1);
        heapShort = false;
        assertThat(next.acquireRead()).isDone();
    }

    @Test
    void sessionReadsOnePageAtATimeOverAllRooms() {
        Socket socket = new Socket();
        List<CatchUpScheduler.Permit> rooms =
                IntStream.range(0, 128).mapToObj(i -> permit(socket, 1)).toList();
        List<CompletableFuture<CatchUpScheduler.Permit>> reads =
                rooms.stream().map(CatchUpScheduler.Permit::acquireRead).toList();
        for (int i = 0; i < 128; i++) {
            assertThat(reads.stream().filter(CompletableFuture::isDone)).hasSize(i + 1);
            assertThat(counters.catchUpBytes.sum()).isEqualTo(PAGE);
            rooms.get(i).read(100_000);
            assertThat(counters.catchUpBytes.sum()).isEqualTo(100_000);
            assertThat(reads.stream().filter(CompletableFuture::isDone)).hasSize(i + 1);
            rooms.get(i).release();
        }
        assertThat(counters.catchUpBytes.sum()).isZero();
    }

    @Test
    void oneUserHasAQuarterOfTheReadsAndTheNextUserIsServedBeforeItsSecond() {
        List<CatchUpScheduler.Permit> greedy =
                IntStream.range(0, 100).mapToObj(i -> permit(new Socket(), 1)).toList();
        List<CompletableFuture<CatchUpScheduler.Permit>> reads =
                greedy.stream().map(CatchUpScheduler.Permit::acquireRead).toList();
        assertThat(reads.stream().filter(CompletableFuture::isDone)).hasSize(1);
        assertThat(permit(new Socket(), 2).acquireRead()).isDone();
    }

    @Test
    void usersAreServedRoundRobin() {
        CatchUpScheduler one = scheduler(1, 0);
        CatchUpScheduler.Permit first = permit(one, new Socket(), 1);
        CatchUpScheduler.Permit second = permit(one, new Socket(), 1);
        CatchUpScheduler.Permit third = permit(one, new Socket(), 1);
        CatchUpScheduler.Permit other = permit(one, new Socket(), 2);
        assertThat(first.acquireRead()).isDone();
        CompletableFuture<CatchUpScheduler.Permit> secondRead = second.acquireRead();
        CompletableFuture<CatchUpScheduler.Permit> thirdRead = third.acquireRead();
        CompletableFuture<CatchUpScheduler.Permit> otherRead = other.acquireRead();
        first.read(1);
        assertThat(otherRead).isDone();
        assertThat(secondRead).isNotDone();
        other.read(1);
        assertThat(secondRead).isDone();
        assertThat(thirdRead).isNotDone();
    }

    @Test
    void pagesOfAllSessionsStayWithinTheBound() {
        int fit = (int) (MEMORY / PAGE);
        List<CatchUpScheduler.Permit> granted = new ArrayList<>();
        for (int user = 1; user <= 100; user++) {
            CatchUpScheduler.Permit permit = permit(new Socket(), user);
            if (!permit.acquireRead().isDone()) continue;
            granted.add(permit);
            permit.read(PAGE);
            assertThat(counters.catchUpBytes.sum()).isLessThanOrEqualTo(MEMORY);
        }
        assertThat(granted).hasSize(fit);
        assertThat(scheduler.isOutOfMemory()).isTrue();
        assertThat(counters.catchUpWaiting.sum()).isEqualTo(100 - fit);
        granted.getFirst().dropPage();
        assertThat(counters.catchUpWaiting.sum()).isEqualTo(100 - fit - 1);
        assertThat(counters.catchUpBytes.sum()).isLessThanOrEqualTo(MEMORY);
    }

    @Test
    void noPageIsReadWhileTheHeapIsFull() {
        heapShort = true;
        CompletableFuture<CatchUpScheduler.Permit> read =
                permit(new Socket(), 1).acquireRead();
        scheduler.tick();
        assertThat(read).isNotDone();
        assertThat(scheduler.isOutOfMemory()).isTrue();
        heapShort = false;
        scheduler.tick();
        assertThat(read).isDone();
        assertThat(scheduler.isOutOfMemory()).isFalse();
    }

    @Test
    void releasedWaitingPermitBlocksNoOther() {
        Socket socket = new Socket();
        CatchUpScheduler.Permit active = permit(socket, 1);
        CatchUpScheduler.Permit gone = permit(socket, 1);
        CatchUpScheduler.Permit next = permit(socket, 1);
        CompletableFuture<CatchUpScheduler.Permit> read = active.acquireRead();
        CompletableFuture<CatchUpScheduler.Permit> goneRead = gone.acquireRead();
        CompletableFuture<CatchUpScheduler.Permit> nextRead = next.acquireRead();
        assertThat(read).isDone();
        gone.release();
        active.release();
        assertThat(goneRead).isNotDone();
        assertThat(nextRead).isDone();
    }

    @Test
    void onlyTheUserAboveItsBudgetIsDelayed() {
        CatchUpScheduler limited = scheduler(READS, 1 << 20);
        Membership greedy = membership(new Socket(), 1);
        Membership other = membership(new Socket(), 2);
        limited.charge(greedy, 8 << 20);
        assertThat(limited.delayNanos(greedy)).isPositive();
        limited.charge(greedy, 2 << 20);
        assertThat(Duration.ofNanos(limited.delayNanos(greedy)))
                .isBetween(Duration.ofSeconds(2), Duration.ofSeconds(3));
        assertThat(limited.delayNanos(other)).isZero();
        nanos += Duration.ofSeconds(3).toNanos();
        assertThat(limited.delayNanos(greedy)).isZero();
        assertThat(counters.catchUpDelayed.sum()).isEqualTo(2);
    }

    /** Anybody may claim to be anybody. */
    @Test
    void sessionsWithoutATokenDoNotShareTheBudgetOfAUser() {
        CatchUpScheduler limited = scheduler(READS, 1 << 20);
        Socket stranger = new Socket();
        Socket self = new Socket();
        stranger.token = false;
        self.token = false;
        limited.charge(membership(stranger, 1), 10 << 20);
        assertThat(limited.delayNanos(membership(stranger, 1))).isPositive();
        assertThat(limited.delayNanos(membership(stranger, 2))).isPositive();
        assertThat(limited.delayNanos(membership(self, 1))).isZero();
    }
}

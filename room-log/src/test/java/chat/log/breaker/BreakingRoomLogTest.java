package chat.log.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.LogUnavailable;
import chat.log.LogUnavailable.Outcome;
import chat.log.RoomLog;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class BreakingRoomLogTest {
    private static final BreakerSettings SETTINGS =
            new BreakerSettings(2, Duration.ofSeconds(2), 1, Duration.ofSeconds(1));

    private long now = 42;
    private final FakeLog under = new FakeLog();
    private final LogBreaker breaker = new LogBreaker(SETTINGS, () -> now);
    private final BreakingRoomLog log = new BreakingRoomLog(under, breaker);
    private final List<RoomLog.State> changes = new ArrayList<>();

    BreakingRoomLogTest() {
        log.onStateChange(() -> changes.add(log.state()));
    }

    private CompletableFuture<Void> append() {
        return log.append(0, new byte[1]).toCompletableFuture();
    }

    private void open() {
        under.fault();
        under.fault();
        assertThat(log.state()).isEqualTo(RoomLog.State.DOWN);
    }

    @Test
    void openBreakerReportsDownAndRejectsEntries() {
        open();

        CompletableFuture<Void> refused = append();

        assertThat(under.appends).isEmpty();
        assertThat(refused).isCompletedExceptionally();
        assertThat(refused.exceptionNow())
                .isInstanceOfSatisfying(
                        LogUnavailable.class, why -> assertThat(why.outcome()).isEqualTo(Outcome.NOT_WRITTEN));
        assertThat(changes).containsExactly(RoomLog.State.DOWN);
        assertThat(log.retryAfter()).isEqualTo(SETTINGS.open());
    }

    @Test
    void probingStartsWhenTheTimeIsOverAndTheLogIsReachable() {
        open();
        under.become(RoomLog.State.DOWN);
        now += SETTINGS.open().toNanos();
        assertThat(log.state()).isEqualTo(RoomLog.State.DOWN);
        assertThat(breaker.state()).isEqualTo(LogBreaker.State.OPEN);

        under.become(RoomLog.State.UP);

        assertThat(log.state()).isEqualTo(RoomLog.State.PROBING);
        CompletableFuture<Void> probe = append();
        assertThat(append()).as("more than the probes").isCompletedExceptionally();
        under.appends.remove().complete(null);
        assertThat(probe).isCompleted();
        assertThat(log.state()).isEqualTo(RoomLog.State.UP);
        assertThat(changes).endsWith(RoomLog.State.PROBING, RoomLog.State.UP);
    }

    @Test
    void blockedLogReportsBlockedInEveryBreakerState() {
        under.become(RoomLog.State.BLOCKED);
        assertThat(log.state()).isEqualTo(RoomLog.State.BLOCKED);
        under.fault();
        under.fault();
        assertThat(log.state()).isEqualTo(RoomLog.State.BLOCKED);
        under.become(RoomLog.State.UP);
        assertThat(log.state()).isEqualTo(RoomLog.State.DOWN);
    }

    /** The loss of a connection with many entries in flight is one failure. */
    @Test
    void entriesLostWithTheirConnectionAreNoSeparateFailures() {
        List<CompletableFuture<Void>> many = new ArrayList<>();
        for (int i = 0; i < 20; i++) many.add(append());

        under.fault();
        under.appends.forEach(
                append -> append.completeExceptionally(new LogUnavailable(Outcome.UNKNOWN, "the connection is lost")));

        assertThat(many).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(log.state()).isEqualTo(RoomLog.State.UP);
    }

    @Test
    void entryNotReadBackInTimeIsAFailure() {
        log.overdue(0);
        log.overdue(0);

        assertThat(log.state()).isEqualTo(RoomLog.State.DOWN);
    }

    @Test
    void confirmedEntryResetsTheFailures() {
        under.fault();
        CompletableFuture<Void> entry = append();
        under.appends.remove().complete(null);
        assertThat(entry).isCompleted();

        under.fault();

        assertThat(log.state()).isEqualTo(RoomLog.State.UP);
    }

    @Test
    void entryNotReadBackWhileBlockedIsNoFailure() {
        under.become(RoomLog.State.BLOCKED);
        for (int i = 0; i < 10; i++) log.overdue(0);

        under.become(RoomLog.State.UP);

        assertThat(log.state()).isEqualTo(RoomLog.State.UP);
    }

    @Test
    void probeReadBackCountsAsConfirmed() {
        open();
        now += SETTINGS.open().toNanos();
        assertThat(log.state()).isEqualTo(RoomLog.State.PROBING);
        CompletableFuture<Void> probe = append();

        log.readBack(probe);

        assertThat(log.state()).isEqualTo(RoomLog.State.UP);
        assertThat(probe).as("the log has not answered").isNotDone();
    }

    @Test
    void entryReadBackAndConfirmedIsOneSuccess() {
        open();
        now += SETTINGS.open().toNanos();
        assertThat(log.state()).isEqualTo(RoomLog.State.PROBING);
        CompletableFuture<Void> early = append();
        log.readBack(early);
        under.fault();
        under.appends.remove().complete(null);

        under.fault();

        assertThat(early).isCompleted();
        assertThat(log.state()).as("two faults in a row").isEqualTo(RoomLog.State.DOWN);
    }

    @Test
    void openBreakerLeavesTheLogReachable() {
        open();
        assertThat(log.isReachable()).isTrue();
        under.become(RoomLog.State.DOWN);
        assertThat(log.isReachable()).isFalse();
    }

    /** A log whose state is set and whose appends are completed by the test. */
    private static final class FakeLog implements RoomLog {
        final Deque<CompletableFuture<Void>> appends = new ArrayDeque<>();
        private final List<Runnable> stateListeners = new ArrayList<>();
        private final List<Consumer<String>> faultListeners = new ArrayList<>();
        private State state = State.UP;

        void become(State to) {
            state = to;
            stateListeners.forEach(Runnable::run);
        }

        void fault() {
            faultListeners.forEach(listener -> listener.accept("on purpose"));
        }

        @Override
        public int partitions() {
            return 1;
        }

        @Override
        public boolean outlivesItsProcess() {
            return true;
        }

        @Override
        public CompletionStage<Void> append(int partition, byte[] entry) {
            CompletableFuture<Void> append = new CompletableFuture<>();
            appends.add(append);
            return append;
        }

        @Override
        public Tail tail(int partition, Start start, TailHandler handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public State state() {
            return state;
        }

        @Override
        public Runnable onStateChange(Runnable listener) {
            stateListeners.add(listener);
            return () -> stateListeners.remove(listener);
        }

        @Override
        public void onFault(Consumer<String> listener) {
            faultListeners.add(listener);
        }

        @Override
        public void release(int partition, long offset) {}

        @Override
        public void close() {}
    }
}

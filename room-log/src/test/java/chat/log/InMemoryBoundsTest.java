package chat.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import chat.log.LogUnavailable.Outcome;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InMemoryBoundsTest {
    private static final int ENTRY_BYTES = 100;
    private static final int ROOM = 10;

    private final SteppedClock clock = new SteppedClock();
    private final InMemoryRoomLog log = new InMemoryRoomLog(2, ROOM * ENTRY_BYTES, clock);

    @AfterEach
    void close() {
        log.close();
    }

    private static void until(Callable<Boolean> condition) {
        await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    private CompletableFuture<Void> append() {
        return log.append(0, new byte[ENTRY_BYTES]).toCompletableFuture();
    }

    private List<CompletableFuture<Void>> append(int entries) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < entries; i++) all.add(append());
        return all;
    }

    private final class Reading implements RoomLog.TailHandler {
        final List<Long> offsets = Collections.synchronizedList(new ArrayList<>());
        final CompletableFuture<LogUnavailable> ended = new CompletableFuture<>();
        final RoomLog.Tail tail;

        Reading(RoomLog.Start start) {
            tail = log.tail(0, start, this);
        }

        @Override
        public void entry(long offset, byte[] bytes) {
            offsets.add(offset);
        }

        @Override
        public void ended(LogUnavailable cause) {
            ended.complete(cause);
        }
    }

    @Test
    void fullLogLeavesAppendsUnconfirmedUntilARelease() {
        List<CompletableFuture<Void>> fitting = append(ROOM);
        List<CompletableFuture<Void>> more = append(3);
        fitting.forEach(CompletableFuture::join);

        assertThat(more).noneMatch(CompletableFuture::isDone);
        log.release(0, 1);

        more.get(0).join();
        more.get(1).join();
        assertThat(more.get(2)).isNotDone();
        log.release(0, 2);
        more.get(2).join();
        assertThat(log.end(0)).isEqualTo(ROOM + 3);
    }

    @Test
    void fullPartitionDoesNotAffectOthers() {
        append(ROOM + 1);

        assertThat(log.append(1, new byte[ENTRY_BYTES]).toCompletableFuture()).succeedsWithin(Duration.ofSeconds(10));
    }

    @Test
    void releasedUnreadEntryIsKept() {
        Reading slow = new Reading(new RoomLog.Start.First());
        append(ROOM).forEach(CompletableFuture::join);
        until(() -> slow.offsets.size() == ROOM);
        slow.tail.handled(ROOM - 1);
        Reading late = new Reading(new RoomLog.Start.First());
        until(() -> late.offsets.size() == ROOM);

        log.release(0, ROOM - 1);
        append(ROOM).forEach(CompletableFuture::join);

        Reading afterwards = new Reading(new RoomLog.Start.First());
        until(() -> afterwards.offsets.size() == ROOM);
        assertThat(afterwards.offsets.getFirst()).isEqualTo(ROOM);
        until(() -> slow.offsets.size() == 2 * ROOM);
    }

    @Test
    void resubscribingReaderFindsItsLastHandledEntry() {
        Reading reader = new Reading(new RoomLog.Start.First());
        append(ROOM).forEach(CompletableFuture::join);
        until(() -> reader.offsets.size() == ROOM);
        reader.tail.handled(ROOM - 1);
        log.release(0, ROOM - 1);
        reader.tail.close();

        Reading again = new Reading(new RoomLog.Start.At(ROOM - 1));
        append().join();
        until(() -> !again.offsets.isEmpty());
        assertThat(again.offsets.getFirst()).isEqualTo(ROOM - 1);
    }

    @Test
    void slowReaderKeepsUndeliveredEntries() {
        Reading stuck = new Reading(new RoomLog.Start.First());
        append(ROOM).forEach(CompletableFuture::join);
        until(() -> stuck.offsets.size() == ROOM);
        log.release(0, ROOM - 1);
        append(ROOM).forEach(CompletableFuture::join);
        log.release(0, 2 * ROOM - 1);

        until(() -> stuck.offsets.size() == 16);
        List<CompletableFuture<Void>> more = append(ROOM);
        assertThat(more.getLast()).isNotDone();

        stuck.tail.close();
        more.getLast().join();
    }

    @Test
    void readUnreleasedEntryIsKept() {
        Reading reading = new Reading(new RoomLog.Start.First());
        append(ROOM).forEach(CompletableFuture::join);
        until(() -> reading.offsets.size() == ROOM);
        reading.tail.handled(ROOM - 1);

        assertThat(append()).isNotDone();
        Reading again = new Reading(new RoomLog.Start.First());
        until(() -> again.offsets.size() == ROOM);
    }

    @Test
    void emptyLogAcceptsAnEntryAboveItsLimit() {
        CompletableFuture<Void> large =
                log.append(0, new byte[ROOM * ENTRY_BYTES * 2]).toCompletableFuture();
        large.join();
        CompletableFuture<Void> next = append();
        assertThat(next).isNotDone();
        log.release(0, 0);
        next.join();
    }

    @Test
    void readingStartsAtTheGivenStart() {
        append(3);
        clock.step(Duration.ofSeconds(10));
        long later = clock.millis();
        append(3);

        Reading at = new Reading(new RoomLog.Start.At(2));
        Reading last = new Reading(new RoomLog.Start.Last());
        Reading since = new Reading(new RoomLog.Start.Ago(Duration.ofSeconds(1)));
        Reading beyond = new Reading(new RoomLog.Start.At(7));
        Reading now = new Reading(new RoomLog.Start.Ago(Duration.ofSeconds(-1)));
        append(2);

        until(() -> at.offsets.size() == 6 && last.offsets.size() == 3 && since.offsets.size() == 5);
        until(() -> beyond.offsets.size() == 1 && now.offsets.size() == 2);
        assertThat(later).isPositive();
        assertThat(at.offsets.getFirst()).isEqualTo(2);
        assertThat(last.offsets.getFirst()).isEqualTo(5);
        assertThat(since.offsets.getFirst()).isEqualTo(3);
        assertThat(beyond.offsets).containsExactly(7L);
        assertThat(now.offsets).containsExactly(6L, 7L);
    }

    @Test
    void closedTailReceivesNothing() {
        Reading reading = new Reading(new RoomLog.Start.First());
        append(1).getFirst().join();
        until(() -> reading.offsets.size() == 1);
        reading.tail.handled(0);

        reading.tail.close();
        append(2).getLast().join();
        log.reset(0);
        append(1).getFirst().join();

        assertThat(reading.offsets).containsExactly(0L);
        assertThat(reading.ended).isNotDone();
    }

    @Test
    void closingEndsReadersAndFailsWaitingAppends() {
        Reading reading = new Reading(new RoomLog.Start.First());
        CompletableFuture<Void> waiting = append(ROOM + 1).getLast();
        AtomicStates states = new AtomicStates();
        log.onStateChange(() -> states.seen.add(log.state()));

        log.close();

        assertThat(reading.ended).succeedsWithin(Duration.ofSeconds(10));
        assertThatThrownBy(waiting::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        LogUnavailable.class,
                        failure -> assertThat(failure.outcome()).isEqualTo(Outcome.NOT_WRITTEN));
        assertThat(append()).isCompletedExceptionally();
        assertThat(states.seen).containsExactly(RoomLog.State.DOWN);
        assertThat(log.state()).isEqualTo(RoomLog.State.DOWN);
        log.tail(0, new RoomLog.Start.First(), reading).close();
    }

    private static final class AtomicStates {
        final List<RoomLog.State> seen = Collections.synchronizedList(new ArrayList<>());
    }

    @Test
    void manyWritersAndReadersOfOneFullLogMakeProgress() {
        InMemoryRoomLog small = new InMemoryRoomLog(1, 5 * ENTRY_BYTES, Clock.systemUTC());
        try (small) {
            List<Long> offsets = Collections.synchronizedList(new ArrayList<>());
            CompletableFuture<RoomLog.Tail> tail = new CompletableFuture<>();
            tail.complete(small.tail(0, new RoomLog.Start.First(), new RoomLog.TailHandler() {
                @Override
                public void entry(long offset, byte[] bytes) {
                    offsets.add(offset);
                    tail.thenAccept(opened -> opened.handled(offset));
                    small.release(0, offset);
                }

                @Override
                public void ended(LogUnavailable cause) {}
            }));
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 500; i++)
                all.add(small.append(0, new byte[ENTRY_BYTES]).toCompletableFuture());
            all.forEach(CompletableFuture::join);
            until(() -> offsets.size() == 500);
            assertThat(offsets).isSorted().doesNotHaveDuplicates();
        }
    }
}

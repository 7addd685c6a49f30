package chat.persistence.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.EntryHeader;
import chat.log.EntryKind;
import chat.log.LogCounters;
import chat.log.LogEntry;
import chat.log.LogSettings;
import chat.log.LogUnavailable;
import chat.log.LogUnavailable.Outcome;
import chat.log.NotStored;
import chat.log.RoomLog;
import chat.log.StoredThrough;
import chat.protocol.RoomId;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoredNotifierTest {
    private static final Duration INTERVAL = Duration.ofMillis(250);
    private static final Duration RETRY = Duration.ofSeconds(5);
    private static final Duration SILENCE = LogSettings.DEFAULT.silence();

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ScriptedLog log = new ScriptedLog();
    private final List<Later> agenda = new ArrayList<>();
    private long now = 1;
    private long origin = 99;
    private final StoredNotifier announcer = new StoredNotifier(
            log,
            3,
            5,
            INTERVAL,
            RETRY,
            () -> origin,
            (step, delay) -> agenda.add(new Later(now + delay.toNanos(), step)),
            () -> now,
            new IngestMetrics(meters, new LogCounters()));

    private record Later(long at, Runnable step) {}

    /** Keeps what is appended until the test says what became of it. */
    private static final class ScriptedLog implements RoomLog {
        final List<byte[]> entries = new ArrayList<>();
        final List<CompletableFuture<Void>> outcomes = new ArrayList<>();
        int connectedAnew;

        @Override
        public int partitions() {
            return 4;
        }

        @Override
        public boolean outlivesItsProcess() {
            return true;
        }

        @Override
        public CompletionStage<Void> append(int partition, byte[] entry) {
            assertThat(partition).isEqualTo(3);
            entries.add(entry);
            outcomes.add(new CompletableFuture<>());
            return outcomes.getLast();
        }

        @Override
        public Tail tail(int partition, Start start, TailHandler handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public State state() {
            return State.UP;
        }

        @Override
        public Runnable onStateChange(Runnable listener) {
            return () -> {};
        }

        /** As by another connection. */
        @Override
        public void unanswered(int partition) {
            assertThat(partition).isEqualTo(3);
            connectedAnew++;
            outcomes.getLast().completeExceptionally(new LogUnavailable(Outcome.UNKNOWN, "lost"));
        }

        @Override
        public void release(int partition, long offset) {}

        @Override
        public void close() {}
    }

    private void pass(Duration time) {
        long end = now + time.toNanos();
        while (true) {
            Later next = agenda.stream()
                    .filter(later -> later.at() <= end)
                    .min((one, other) -> Long.compare(one.at(), other.at()))
                    .orElse(null);
            if (next == null) break;
            agenda.remove(next);
            now = Math.max(now, next.at());
            next.step().run();
        }
        now = end;
    }

    private void written() {
        confirmed();
        read(log.entries.size());
    }

    private void read(long sequence) {
        announcer.read(header(sequence));
    }

    private EntryHeader header(long sequence) {
        return new EntryHeader(EntryKind.STORED, origin, 0, 5, sequence, "consumer");
    }

    private void confirmed() {
        log.outcomes.getLast().complete(null);
        pass(Duration.ZERO);
    }

    private void failed() {
        log.outcomes.getLast().completeExceptionally(new LogUnavailable(Outcome.UNKNOWN, "lost"));
        pass(Duration.ZERO);
    }

    private List<Long> said() {
        return log.entries.stream()
                .map(entry -> ByteBuffer.wrap(entry).getLong(entry.length - Long.BYTES))
                .toList();
    }

    private double count(String outcome) {
        return meters.counter("persistence.announcements", "outcome", outcome).count();
    }

    @Test
    void firstPositionIsPublishedImmediatelyThenTheNewestPerInterval() {
        announcer.stored(10);
        assertThat(said()).containsExactly(10L);
        written();
        announcer.stored(20);
        announcer.stored(30);
        pass(INTERVAL.minusMillis(1));
        assertThat(said()).containsExactly(10L);
        pass(Duration.ofMillis(1));
        assertThat(said()).containsExactly(10L, 30L);
        written();
        assertThat(count("written")).isEqualTo(2);
    }

    private static NotStored notStored(long position) {
        return new NotStored(position, new UUID(7, position), new RoomId("7"), "42");
    }

    private StoredThrough last() {
        return Objects.requireNonNull(
                LogEntry.parse(log.entries.getLast(), origin, 0).stored());
    }

    private List<Long> named() {
        return last().notStored().stream().map(NotStored::position).toList();
    }

    @Test
    void messagesThatAreNotStoredAreNamedUntilTheEntryHasBeenReadBack() {
        announcer.notStored(List.of(notStored(7), notStored(9), notStored(15)));
        announcer.stored(10);
        assertThat(named()).containsExactly(7L, 9L);
        failed();
        announcer.stored(20);
        pass(RETRY);
        assertThat(named()).containsExactly(7L, 9L, 15L);
        written();
        announcer.notStored(List.of(notStored(25)));
        announcer.stored(30);
        pass(INTERVAL);
        assertThat(named()).containsExactly(25L);
        confirmed(); // and lost
        pass(SILENCE);
        failed();
        pass(RETRY);
        assertThat(named()).containsExactly(25L);
        written();
        announcer.stored(40);
        pass(INTERVAL);
        assertThat(last()).isEqualTo(new StoredThrough(40));
    }

    @Test
    void rereadEntryKeepsTheFailedNames() {
        announcer.notStored(List.of(notStored(7)));
        announcer.stored(10);
        written();
        announcer.notStored(List.of(notStored(15)));
        announcer.stored(20);
        pass(INTERVAL);
        assertThat(named()).containsExactly(15L);
        failed();
        announcer.begin(10);
        read(1);
        pass(RETRY);
        assertThat(named()).containsExactly(15L);
    }

    @Test
    void laterEntryClearsNoNameOfAFailedOne() {
        announcer.notStored(List.of(notStored(7)));
        announcer.stored(10);
        failed();
        announcer.stored(5);
        pass(RETRY);
        assertThat(named()).isEmpty();
        written();
        announcer.stored(20);
        pass(INTERVAL);
        assertThat(named()).containsExactly(7L);
    }

    @Test
    void entryCoversOnlyPositionsWhoseDeadLettersItNames() {
        int many = StoredThrough.MAX_NOT_STORED * 2 + 1;
        List<NotStored> all =
                LongStream.range(0, many).mapToObj(i -> notStored(10 + i)).toList();
        announcer.notStored(all);
        announcer.stored(10_000);
        assertThat(last().position()).isEqualTo(10 + StoredThrough.MAX_NOT_STORED - 1);
        List<NotStored> named = new ArrayList<>(last().notStored());
        for (int i = 0; i < 2; i++) {
            written();
            pass(INTERVAL);
            named.addAll(last().notStored());
        }
        assertThat(named).isEqualTo(all);
        assertThat(last().position()).isEqualTo(10_000);
    }

    private static List<NotStored> notStored(long from, int many) {
        return LongStream.range(from, from + many)
                .mapToObj(StoredNotifierTest::notStored)
                .toList();
    }

    @Test
    void confirmedNamesAreNotRepeatedBeforeThePatienceEnds() {
        announcer.notStored(notStored(10, StoredThrough.MAX_NOT_STORED * 2 + 1));
        announcer.stored(10_000);
        List<Integer> names = new ArrayList<>();
        List<Long> positions = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            names.add(last().notStored().size());
            positions.add(last().position());
            confirmed();
            announcer.stored(10_001 + i);
            pass(INTERVAL);
        }
        assertThat(names).containsExactly(1000, 1000, 1, 0);
        assertThat(positions).containsExactly(1009L, 2009L, 10_002L, 10_003L);
    }

    @Test
    void namesThatAreNotReadBackAreRepeatedFromTheFirst() {
        List<NotStored> all = notStored(10, StoredThrough.MAX_NOT_STORED + 1);
        announcer.notStored(all);
        announcer.stored(10_000);
        confirmed();
        pass(INTERVAL);
        confirmed();
        int before = log.entries.size();
        pass(SILENCE);
        pass(RETRY);
        assertThat(last().notStored()).isEqualTo(all.subList(0, StoredThrough.MAX_NOT_STORED));
        confirmed();
        pass(INTERVAL);
        assertThat(last()).isEqualTo(new StoredThrough(10_000, all.subList(StoredThrough.MAX_NOT_STORED, all.size())));
        confirmed();
        pass(INTERVAL.multipliedBy(10));
        assertThat(log.entries).hasSize(before + 2);
    }

    @Test
    void namesOfAFailedEntryAreRepeatedAndNotThoseOfTheConfirmedOneBefore() {
        List<NotStored> all = notStored(10, StoredThrough.MAX_NOT_STORED + 1);
        announcer.notStored(all);
        announcer.stored(10_000);
        confirmed();
        pass(INTERVAL);
        failed();
        pass(RETRY);
        assertThat(last()).isEqualTo(new StoredThrough(10_000, all.subList(StoredThrough.MAX_NOT_STORED, all.size())));
    }

    @Test
    void messageBelowTheNamedOnesIsNamedThough() {
        announcer.notStored(List.of(notStored(15)));
        announcer.stored(20);
        confirmed();
        announcer.notStored(List.of(notStored(12)));
        announcer.stored(30);
        pass(INTERVAL);
        assertThat(named()).contains(12L);
    }

    @Test
    void namesOfTheConfirmedOnesAreRepeatedAfterANewAttach() {
        announcer.notStored(List.of(notStored(15)));
        announcer.stored(20);
        confirmed();
        announcer.begin(20);
        announcer.stored(30);
        pass(INTERVAL);
        assertThat(named()).containsExactly(15L);
        written();
        announcer.stored(40);
        pass(INTERVAL);
        assertThat(named()).isEmpty();
    }

    @Test
    void namesOfEachEntryAreForgottenWhenItIsReadBack() {
        announcer.notStored(List.of(notStored(5), notStored(15)));
        announcer.stored(10);
        confirmed();
        announcer.stored(20);
        pass(INTERVAL);
        assertThat(named()).containsExactly(15L);
        confirmed();
        read(1);
        pass(SILENCE.minus(INTERVAL));
        pass(SILENCE.plus(RETRY));
        assertThat(log.connectedAnew).isOne();
        assertThat(named()).containsExactly(15L);
    }

    @Test
    void namesOfAConfirmedEntryThatTheLogHasLostAreRepeated() {
        announcer.notStored(List.of(notStored(5), notStored(15)));
        announcer.stored(10);
        confirmed();
        announcer.stored(20);
        pass(INTERVAL);
        confirmed();
        read(2);
        announcer.stored(30);
        pass(INTERVAL);
        assertThat(named()).containsExactly(5L);
    }

    @Test
    void staleEntryIsPublishedAgainForTheNewEpoch() {
        announcer.notStored(List.of(notStored(7)));
        announcer.stored(10);
        confirmed();
        EntryHeader stale = header(1);
        origin = 120;
        announcer.stale(stale);
        pass(INTERVAL);
        assertThat(said()).hasSize(2);
        assertThat(LogEntry.parse(log.entries.getLast(), origin, 0).header().origin())
                .isEqualTo(120);
        assertThat(last()).isEqualTo(new StoredThrough(10, List.of(notStored(7))));
        written();
        pass(SILENCE.multipliedBy(2));
        assertThat(log.entries).hasSize(2);
        assertThat(log.connectedAnew).isZero();
    }

    @Test
    void staleEntryProvesThatTheConnectionWorks() {
        announcer.stored(10);
        confirmed();
        announcer.stale(header(1));
        pass(SILENCE.minusMillis(1));
        confirmed();
        pass(Duration.ofMillis(2));
        assertThat(log.connectedAnew).isZero();
    }

    @Test
    void staleEntryOfAnotherIncarnationIsIgnored() {
        announcer.stored(10);
        written();
        announcer.stale(new EntryHeader(EntryKind.STORED, origin, 0, 6, 1, "consumer"));
        pass(INTERVAL.multipliedBy(10));
        assertThat(said()).containsExactly(10L);
    }

    @Test
    void staleEntryLowersNoPositionThatWaits() {
        announcer.begin(20);
        confirmed();
        announcer.stored(9);
        announcer.again();
        announcer.stale(header(1));
        pass(INTERVAL);
        assertThat(said()).containsExactly(20L, 20L);
    }

    /** Only a position in the lost range proves the loss to a chat server. */
    @Test
    void lostEndIsPublishedWithItsOwnPosition() {
        announcer.begin(20);
        announcer.lostEnd(30);
        announcer.stored(50);
        written();
        pass(INTERVAL);
        confirmed();
        pass(INTERVAL);
        assertThat(said()).containsExactly(20L, 30L, 50L);
        confirmed();
        read(2);
        read(3);
        announcer.stored(60);
        pass(INTERVAL);
        assertThat(said()).containsExactly(20L, 30L, 50L, 60L);
    }

    @Test
    void staleOrFailedLostEndIsPublishedAgain() {
        announcer.lostEnd(30);
        failed();
        announcer.stored(50);
        pass(RETRY);
        confirmed();
        pass(INTERVAL);
        confirmed();
        announcer.stale(header(2));
        announcer.stale(header(3));
        pass(INTERVAL);
        confirmed();
        pass(INTERVAL);
        assertThat(said()).containsExactly(30L, 30L, 50L, 30L, 50L);
    }

    @Test
    void unreadLostEndIsPublishedAgain() {
        announcer.lostEnd(30);
        confirmed();
        announcer.stored(50);
        pass(INTERVAL);
        confirmed();
        pass(SILENCE);
        confirmed();
        pass(INTERVAL);
        assertThat(said()).containsExactly(30L, 50L, 30L, 50L);
    }

    @Test
    void nothingIsPublishedIfNothingIsStored() {
        announcer.proceed();
        announcer.stored(10);
        written();
        for (int i = 0; i < 100; i++) {
            pass(INTERVAL);
            announcer.proceed();
        }
        assertThat(said()).containsExactly(10L);
        assertThat(agenda).isEmpty();
    }

    @Test
    void oneAtATime() {
        announcer.stored(10);
        announcer.stored(20);
        pass(INTERVAL.multipliedBy(10));
        assertThat(said()).containsExactly(10L);
        written();
        assertThat(said()).containsExactly(10L, 20L);
    }

    @Test
    void failedPublishIsRetried() {
        announcer.stored(10);
        failed();
        assertThat(count("failed")).isEqualTo(1);
        pass(RETRY.minusMillis(1));
        assertThat(said()).containsExactly(10L);
        pass(Duration.ofMillis(1));
        assertThat(said()).containsExactly(10L, 10L);
        written();
        pass(RETRY);
        assertThat(said()).hasSize(2);
    }

    @Test
    void retryPublishesTheNewestPosition() {
        announcer.stored(10);
        announcer.stored(20);
        failed();
        pass(RETRY);
        assertThat(said()).containsExactly(10L, 20L);
    }

    @Test
    void epochIsAwaited() {
        origin = 0;
        announcer.stored(10);
        announcer.stored(20);
        pass(INTERVAL.multipliedBy(100));
        assertThat(said()).isEmpty();
        origin = 99;
        announcer.proceed();
        assertThat(said()).containsExactly(20L);
    }

    @Test
    void startPublishesTheStoredPositionOnce() {
        announcer.begin(7);
        assertThat(said()).containsExactly(7L);
        written();
        announcer.begin(8);
        pass(INTERVAL.multipliedBy(4));
        assertThat(said()).containsExactly(7L);
    }

    @Test
    void requestRepeatsTheLastPosition() {
        announcer.again();
        assertThat(said()).as("before anything was stored").isEmpty();
        announcer.stored(10);
        written();
        announcer.again();
        pass(INTERVAL);
        assertThat(said()).containsExactly(10L, 10L);
        announcer.stored(20);
        announcer.again();
        written();
        pass(INTERVAL);
        assertThat(said()).containsExactly(10L, 10L, 20L);
    }

    @Test
    void logEndBelowTheStoredPositionIsPublished() {
        origin = 0;
        announcer.claim(98);
        assertThat(said()).as("before anything was stored").isEmpty();
        announcer.begin(7);
        pass(INTERVAL);
        assertThat(said()).isEmpty();
        announcer.claim(98);
        announcer.claim(98);
        assertThat(said()).as("one at a time").containsExactly(7L);
        assertThat(LogEntry.parse(log.entries.getLast(), 98, 0).header().origin())
                .isEqualTo(98);
        confirmed();
        pass(SILENCE.multipliedBy(2));
        assertThat(log.connectedAnew).as("as it can't be read back yet").isZero();
        announcer.claim(98);
        assertThat(said()).containsExactly(7L, 7L);
    }

    @Test
    void positionOfAnotherConsumerIsPublishedIfTheLogEndsBelow() {
        announcer.begin(7);
        written();
        origin = 0;
        announcer.begin(20);
        announcer.claim(98);
        assertThat(said()).containsExactly(7L, 20L);
    }

    /** Entries that are read again from the start are below the stored position. */
    @Test
    void idlePartitionRepeatsTheHighestStoredPosition() {
        announcer.begin(20);
        written();
        announcer.stored(9);
        pass(INTERVAL);
        written();
        announcer.again();
        pass(INTERVAL);
        assertThat(said()).containsExactly(20L, 9L, 20L);
    }

    /** As of a channel that publishes to a leader that is no more: it confirms nothing, or what is lost. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void unreadEntryIsPublishedAgainOverAnotherConnection(boolean isConfirmed) {
        announcer.stored(10);
        if (isConfirmed) confirmed();
        pass(SILENCE.minusMillis(1));
        assertThat(log.connectedAnew).isZero();
        pass(Duration.ofMillis(1).plus(RETRY));
        assertThat(log.connectedAnew).isOne();
        assertThat(said()).containsExactly(10L, 10L);
        written();
        pass(SILENCE.multipliedBy(4));
        assertThat(said()).hasSize(2);
        assertThat(log.connectedAnew).isOne();
        assertThat(agenda).isEmpty();
    }

    @Test
    void lateReadBackBacksOffReconnects() {
        announcer.stored(10);
        for (int i = 0; i < 3600; i++) {
            confirmed();
            pass(Duration.ofSeconds(1));
        }
        assertThat(log.connectedAnew).as("after 15, 45, 105, 225, ... seconds").isEqualTo(7);
        written();
        pass(Duration.ofHours(2));
        int before = log.connectedAnew;
        announcer.stored(20);
        pass(SILENCE);
        assertThat(log.connectedAnew).as("patience is as short as ever").isEqualTo(before + 1);
    }

    @Test
    void nothingIsExpectedBackWhileTheLogCannotBeRead() {
        announcer.stored(10);
        confirmed();
        origin = 0;
        pass(Duration.ofMinutes(10));
        assertThat(log.connectedAnew).isZero();
        origin = 99;
        pass(SILENCE);
        assertThat(log.connectedAnew).isOne();
    }

    @Test
    void entriesBeforeTheStartAreNotAwaited() {
        announcer.stored(10);
        confirmed();
        announcer.begin(30);
        pass(Duration.ofMinutes(1));
        assertThat(log.connectedAnew).isZero();
    }

    @Test
    void queuedEventsAreReadBeforeTimeouts() {
        announcer.stored(10);
        confirmed();
        now += SILENCE.plusSeconds(10).toNanos();
        pass(Duration.ZERO);
        assertThat(log.connectedAnew).isZero();
        pass(SILENCE);
        assertThat(log.connectedAnew).isOne();
    }

    @Test
    void takeoverPublishesTheOtherConsumersPosition() {
        announcer.begin(7);
        written();
        announcer.moved(8);
        announcer.begin(20);
        pass(INTERVAL);
        assertThat(said()).as("the other one lives, and says it").containsExactly(7L);
        announcer.moved(21);
        assertThat(said()).containsExactly(7L, 21L);
        written();
        announcer.moved(22);
        pass(INTERVAL);
        assertThat(said()).containsExactly(7L, 21L);
    }

    @Test
    void eachEntryHasTheNextNumberOfTheRun() {
        announcer.stored(10);
        written();
        pass(INTERVAL);
        announcer.stored(20);
        // version, kind, origin, previous origin, run, sequence
        for (int i = 0; i < 2; i++) {
            ByteBuffer entry = ByteBuffer.wrap(log.entries.get(i));
            assertThat(entry.get(1)).isEqualTo((byte) 5);
            assertThat(entry.getLong(2)).isEqualTo(99);
            assertThat(entry.getLong(18)).isEqualTo(5);
            assertThat(entry.getLong(26)).isEqualTo(i + 1);
        }
    }
}

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
    private long epoch = 99;
    private final StoredNotifier notifier = new StoredNotifier(
            log,
            3,
            5,
            INTERVAL,
            RETRY,
            () -> epoch,
            (step, delay) -> agenda.add(new Later(now + delay.toNanos(), step)),
            () -> now,
            new IngestMetrics(meters, new LogCounters()));

    private record Later(long at, Runnable step) {}

    /** Keeps each appended entry until the test completes or fails it. */
    private static final class ScriptedLog implements RoomLog {
        final List<byte[]> entries = new ArrayList<>();
        final List<CompletableFuture<Void>> outcomes = new ArrayList<>();
        int reconnects;

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

        /** Fails the last append, as a new connection does. */
        @Override
        public void unanswered(int partition) {
            assertThat(partition).isEqualTo(3);
            reconnects++;
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
        notifier.read(header(sequence));
    }

    private EntryHeader header(long sequence) {
        return new EntryHeader(EntryKind.STORED, epoch, 0, 5, sequence, "consumer");
    }

    private void confirmed() {
        log.outcomes.getLast().complete(null);
        pass(Duration.ZERO);
    }

    private void failed() {
        log.outcomes.getLast().completeExceptionally(new LogUnavailable(Outcome.UNKNOWN, "lost"));
        pass(Duration.ZERO);
    }

    private List<Long> published() {
        return log.entries.stream()
                .map(entry -> ByteBuffer.wrap(entry).getLong(entry.length - Long.BYTES))
                .toList();
    }

    private double count(String outcome) {
        return meters.counter("persistence.announcements", "outcome", outcome).count();
    }

    @Test
    void firstPositionIsPublishedImmediatelyThenTheNewestPerInterval() {
        notifier.stored(10);
        assertThat(published()).containsExactly(10L);
        written();
        notifier.stored(20);
        notifier.stored(30);
        pass(INTERVAL.minusMillis(1));
        assertThat(published()).containsExactly(10L);
        pass(Duration.ofMillis(1));
        assertThat(published()).containsExactly(10L, 30L);
        written();
        assertThat(count("written")).isEqualTo(2);
    }

    private static NotStored notStored(long position) {
        return new NotStored(position, new UUID(7, position), new RoomId("7"), "42");
    }

    private StoredThrough last() {
        return Objects.requireNonNull(
                LogEntry.parse(log.entries.getLast(), epoch, 0).stored());
    }

    private List<Long> named() {
        return last().notStored().stream().map(NotStored::position).toList();
    }

    @Test
    void messagesThatAreNotStoredAreNamedUntilTheEntryHasBeenReadBack() {
        notifier.notStored(List.of(notStored(7), notStored(9), notStored(15)));
        notifier.stored(10);
        assertThat(named()).containsExactly(7L, 9L);
        failed();
        notifier.stored(20);
        pass(RETRY);
        assertThat(named()).containsExactly(7L, 9L, 15L);
        written();
        notifier.notStored(List.of(notStored(25)));
        notifier.stored(30);
        pass(INTERVAL);
        assertThat(named()).containsExactly(25L);
        confirmed(); // and lost
        pass(SILENCE);
        failed();
        pass(RETRY);
        assertThat(named()).containsExactly(25L);
        written();
        notifier.stored(40);
        pass(INTERVAL);
        assertThat(last()).isEqualTo(new StoredThrough(40));
    }

    @Test
    void rereadEntryKeepsTheFailedNames() {
        notifier.notStored(List.of(notStored(7)));
        notifier.stored(10);
        written();
        notifier.notStored(List.of(notStored(15)));
        notifier.stored(20);
        pass(INTERVAL);
        assertThat(named()).containsExactly(15L);
        failed();
        notifier.begin(10);
        read(1);
        pass(RETRY);
        assertThat(named()).containsExactly(15L);
    }

    @Test
    void laterEntryClearsNoNameOfAFailedOne() {
        notifier.notStored(List.of(notStored(7)));
        notifier.stored(10);
        failed();
        notifier.stored(5);
        pass(RETRY);
        assertThat(named()).isEmpty();
        written();
        notifier.stored(20);
        pass(INTERVAL);
        assertThat(named()).containsExactly(7L);
    }

    @Test
    void entryCoversOnlyPositionsWhoseDeadLettersItNames() {
        int many = StoredThrough.MAX_NOT_STORED * 2 + 1;
        List<NotStored> all =
                LongStream.range(0, many).mapToObj(i -> notStored(10 + i)).toList();
        notifier.notStored(all);
        notifier.stored(10_000);
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
        notifier.notStored(notStored(10, StoredThrough.MAX_NOT_STORED * 2 + 1));
        notifier.stored(10_000);
        List<Integer> names = new ArrayList<>();
        List<Long> positions = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            names.add(last().notStored().size());
            positions.add(last().position());
            confirmed();
            notifier.stored(10_001 + i);
            pass(INTERVAL);
        }
        assertThat(names).containsExactly(1000, 1000, 1, 0);
        assertThat(positions).containsExactly(1009L, 2009L, 10_002L, 10_003L);
    }

    @Test
    void namesThatAreNotReadBackAreRepeatedFromTheFirst() {
        List<NotStored> all = notStored(10, StoredThrough.MAX_NOT_STORED + 1);
        notifier.notStored(all);
        notifier.stored(10_000);
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
        notifier.notStored(all);
        notifier.stored(10_000);
        confirmed();
        pass(INTERVAL);
        failed();
        pass(RETRY);
        assertThat(last()).isEqualTo(new StoredThrough(10_000, all.subList(StoredThrough.MAX_NOT_STORED, all.size())));
    }

    @Test
    void lateMessageBelowTheNamedOnesIsNamed() {
        notifier.notStored(List.of(notStored(15)));
        notifier.stored(20);
        confirmed();
        notifier.notStored(List.of(notStored(12)));
        notifier.stored(30);
        pass(INTERVAL);
        assertThat(named()).contains(12L);
    }

    @Test
    void confirmedNamesAreRepeatedAfterANewReaderStarts() {
        notifier.notStored(List.of(notStored(15)));
        notifier.stored(20);
        confirmed();
        notifier.begin(20);
        notifier.stored(30);
        pass(INTERVAL);
        assertThat(named()).containsExactly(15L);
        written();
        notifier.stored(40);
        pass(INTERVAL);
        assertThat(named()).isEmpty();
    }

    @Test
    void namesOfEachEntryAreForgottenWhenItIsReadBack() {
        notifier.notStored(List.of(notStored(5), notStored(15)));
        notifier.stored(10);
        confirmed();
        notifier.stored(20);
        pass(INTERVAL);
        assertThat(named()).containsExactly(15L);
        confirmed();
        read(1);
        pass(SILENCE.minus(INTERVAL));
        pass(SILENCE.plus(RETRY));
        assertThat(log.reconnects).isOne();
        assertThat(named()).containsExactly(15L);
    }

    @Test
    void namesOfAConfirmedEntryThatTheLogHasLostAreRepeated() {
        notifier.notStored(List.of(notStored(5), notStored(15)));
        notifier.stored(10);
        confirmed();
        notifier.stored(20);
        pass(INTERVAL);
        confirmed();
        read(2);
        notifier.stored(30);
        pass(INTERVAL);
        assertThat(named()).containsExactly(5L);
    }

    @Test
    void staleEntryIsPublishedAgainForTheNewEpoch() {
        notifier.notStored(List.of(notStored(7)));
        notifier.stored(10);
        confirmed();
        EntryHeader stale = header(1);
        epoch = 120;
        notifier.stale(stale);
        pass(INTERVAL);
        assertThat(published()).hasSize(2);
        assertThat(LogEntry.parse(log.entries.getLast(), epoch, 0).header().epoch())
                .isEqualTo(120);
        assertThat(last()).isEqualTo(new StoredThrough(10, List.of(notStored(7))));
        written();
        pass(SILENCE.multipliedBy(2));
        assertThat(log.entries).hasSize(2);
        assertThat(log.reconnects).isZero();
    }

    @Test
    void staleEntryProvesThatTheConnectionWorks() {
        notifier.stored(10);
        confirmed();
        notifier.stale(header(1));
        pass(SILENCE.minusMillis(1));
        confirmed();
        pass(Duration.ofMillis(2));
        assertThat(log.reconnects).isZero();
    }

    @Test
    void staleEntryOfAnotherIncarnationIsIgnored() {
        notifier.stored(10);
        written();
        notifier.stale(new EntryHeader(EntryKind.STORED, epoch, 0, 6, 1, "consumer"));
        pass(INTERVAL.multipliedBy(10));
        assertThat(published()).containsExactly(10L);
    }

    @Test
    void staleEntryLowersNoPositionThatWaits() {
        notifier.begin(20);
        confirmed();
        notifier.stored(9);
        notifier.again();
        notifier.stale(header(1));
        pass(INTERVAL);
        assertThat(published()).containsExactly(20L, 20L);
    }

    /** Only a position in the lost range proves the loss to a chat server. */
    @Test
    void lostEndIsPublishedWithItsOwnPosition() {
        notifier.begin(20);
        notifier.lostEnd(30);
        notifier.stored(50);
        written();
        pass(INTERVAL);
        confirmed();
        pass(INTERVAL);
        assertThat(published()).containsExactly(20L, 30L, 50L);
        confirmed();
        read(2);
        read(3);
        notifier.stored(60);
        pass(INTERVAL);
        assertThat(published()).containsExactly(20L, 30L, 50L, 60L);
    }

    @Test
    void staleOrFailedLostEndIsPublishedAgain() {
        notifier.lostEnd(30);
        failed();
        notifier.stored(50);
        pass(RETRY);
        confirmed();
        pass(INTERVAL);
        confirmed();
        notifier.stale(header(2));
        notifier.stale(header(3));
        pass(INTERVAL);
        confirmed();
        pass(INTERVAL);
        assertThat(published()).containsExactly(30L, 30L, 50L, 30L, 50L);
    }

    @Test
    void unreadLostEndIsPublishedAgain() {
        notifier.lostEnd(30);
        confirmed();
        notifier.stored(50);
        pass(INTERVAL);
        confirmed();
        pass(SILENCE);
        confirmed();
        pass(INTERVAL);
        assertThat(published()).containsExactly(30L, 50L, 30L, 50L);
    }

    @Test
    void nothingIsPublishedIfNothingIsStored() {
        notifier.proceed();
        notifier.stored(10);
        written();
        for (int i = 0; i < 100; i++) {
            pass(INTERVAL);
            notifier.proceed();
        }
        assertThat(published()).containsExactly(10L);
        assertThat(agenda).isEmpty();
    }

    @Test
    void nextNotificationWaitsForTheConfirmOfThePrevious() {
        notifier.stored(10);
        notifier.stored(20);
        pass(INTERVAL.multipliedBy(10));
        assertThat(published()).containsExactly(10L);
        written();
        assertThat(published()).containsExactly(10L, 20L);
    }

    @Test
    void failedPublishIsRetried() {
        notifier.stored(10);
        failed();
        assertThat(count("failed")).isEqualTo(1);
        pass(RETRY.minusMillis(1));
        assertThat(published()).containsExactly(10L);
        pass(Duration.ofMillis(1));
        assertThat(published()).containsExactly(10L, 10L);
        written();
        pass(RETRY);
        assertThat(published()).hasSize(2);
    }

    @Test
    void retryPublishesTheNewestPosition() {
        notifier.stored(10);
        notifier.stored(20);
        failed();
        pass(RETRY);
        assertThat(published()).containsExactly(10L, 20L);
    }

    @Test
    void notificationWaitsUntilTheEpochIsKnown() {
        epoch = 0;
        notifier.stored(10);
        notifier.stored(20);
        pass(INTERVAL.multipliedBy(100));
        assertThat(published()).isEmpty();
        epoch = 99;
        notifier.proceed();
        assertThat(published()).containsExactly(20L);
    }

    @Test
    void startPublishesTheStoredPositionOnce() {
        notifier.begin(7);
        assertThat(published()).containsExactly(7L);
        written();
        notifier.begin(8);
        pass(INTERVAL.multipliedBy(4));
        assertThat(published()).containsExactly(7L);
    }

    @Test
    void againRepeatsTheLastPosition() {
        notifier.again();
        assertThat(published()).as("before anything was stored").isEmpty();
        notifier.stored(10);
        written();
        notifier.again();
        pass(INTERVAL);
        assertThat(published()).containsExactly(10L, 10L);
        notifier.stored(20);
        notifier.again();
        written();
        pass(INTERVAL);
        assertThat(published()).containsExactly(10L, 10L, 20L);
    }

    @Test
    void logEndBelowTheStoredPositionIsPublished() {
        epoch = 0;
        notifier.claim(98);
        assertThat(published()).as("before anything was stored").isEmpty();
        notifier.begin(7);
        pass(INTERVAL);
        assertThat(published()).isEmpty();
        notifier.claim(98);
        notifier.claim(98);
        assertThat(published()).as("one at a time").containsExactly(7L);
        assertThat(LogEntry.parse(log.entries.getLast(), 98, 0).header().epoch())
                .isEqualTo(98);
        confirmed();
        pass(SILENCE.multipliedBy(2));
        assertThat(log.reconnects).as("as it can't be read back yet").isZero();
        notifier.claim(98);
        assertThat(published()).containsExactly(7L, 7L);
    }

    @Test
    void positionOfAnotherConsumerIsPublishedIfTheLogEndsBelow() {
        notifier.begin(7);
        written();
        epoch = 0;
        notifier.begin(20);
        notifier.claim(98);
        assertThat(published()).containsExactly(7L, 20L);
    }

    /** Entries that are read again from the start are below the stored position. */
    @Test
    void idlePartitionRepeatsTheHighestStoredPosition() {
        notifier.begin(20);
        written();
        notifier.stored(9);
        pass(INTERVAL);
        written();
        notifier.again();
        pass(INTERVAL);
        assertThat(published()).containsExactly(20L, 9L, 20L);
    }

    /** A channel that publishes to a former leader confirms nothing, or entries that are lost. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void unreadEntryIsPublishedAgainOverAnotherConnection(boolean isConfirmed) {
        notifier.stored(10);
        if (isConfirmed) confirmed();
        pass(SILENCE.minusMillis(1));
        assertThat(log.reconnects).isZero();
        pass(Duration.ofMillis(1).plus(RETRY));
        assertThat(log.reconnects).isOne();
        assertThat(published()).containsExactly(10L, 10L);
        written();
        pass(SILENCE.multipliedBy(4));
        assertThat(published()).hasSize(2);
        assertThat(log.reconnects).isOne();
        assertThat(agenda).isEmpty();
    }

    @Test
    void lateReadBackBacksOffReconnects() {
        notifier.stored(10);
        for (int i = 0; i < 3600; i++) {
            confirmed();
            pass(Duration.ofSeconds(1));
        }
        assertThat(log.reconnects).as("after 15, 45, 105, 225, ... seconds").isEqualTo(7);
        written();
        pass(Duration.ofHours(2));
        int before = log.reconnects;
        notifier.stored(20);
        pass(SILENCE);
        assertThat(log.reconnects).as("patience is as short as ever").isEqualTo(before + 1);
    }

    @Test
    void nothingIsExpectedBackWhileTheLogCannotBeRead() {
        notifier.stored(10);
        confirmed();
        epoch = 0;
        pass(Duration.ofMinutes(10));
        assertThat(log.reconnects).isZero();
        epoch = 99;
        pass(SILENCE);
        assertThat(log.reconnects).isOne();
    }

    @Test
    void entriesBeforeTheStartAreNotAwaited() {
        notifier.stored(10);
        confirmed();
        notifier.begin(30);
        pass(Duration.ofMinutes(1));
        assertThat(log.reconnects).isZero();
    }

    @Test
    void queuedEventsAreReadBeforeTimeouts() {
        notifier.stored(10);
        confirmed();
        now += SILENCE.plusSeconds(10).toNanos();
        pass(Duration.ZERO);
        assertThat(log.reconnects).isZero();
        pass(SILENCE);
        assertThat(log.reconnects).isOne();
    }

    @Test
    void takeoverPublishesTheOtherConsumersPosition() {
        notifier.begin(7);
        written();
        notifier.moved(8);
        notifier.begin(20);
        pass(INTERVAL);
        assertThat(published()).as("the other one lives, and says it").containsExactly(7L);
        notifier.moved(21);
        assertThat(published()).containsExactly(7L, 21L);
        written();
        notifier.moved(22);
        pass(INTERVAL);
        assertThat(published()).containsExactly(7L, 21L);
    }

    @Test
    void eachEntryHasTheNextSequenceOfTheIncarnation() {
        notifier.stored(10);
        written();
        pass(INTERVAL);
        notifier.stored(20);
        // version, kind, epoch, previous epoch, run, sequence
        for (int i = 0; i < 2; i++) {
            ByteBuffer entry = ByteBuffer.wrap(log.entries.get(i));
            assertThat(entry.get(1)).isEqualTo((byte) 5);
            assertThat(entry.getLong(2)).isEqualTo(99);
            assertThat(entry.getLong(18)).isEqualTo(5);
            assertThat(entry.getLong(26)).isEqualTo(i + 1);
        }
    }
}

package chat.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LogReaderTest {
    private static final LogSettings SETTINGS = new LogSettings(
            2,
            Duration.ZERO,
            64 * 1024,
            64,
            Duration.ofMillis(200),
            Duration.ofMillis(800),
            Duration.ofSeconds(20),
            Duration.ofSeconds(60),
            Duration.ofMillis(50));
    private static final long EPOCH = 1_000_000;

    private final VirtualTime time = new VirtualTime(new Random(1));
    private final ScriptedLog log = new ScriptedLog();
    private @Nullable TestReader reader;

    @AfterEach
    void close() {
        if (reader != null) reader.close();
    }

    private static void until(Callable<Boolean> condition) {
        await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    private TestReader read(LogReader.Begin begin) {
        TestReader opened = new TestReader(log, 0, begin, SETTINGS);
        reader = opened;
        return opened;
    }

    private static byte[] emptyEntry(EntryKind kind, long epoch, long sequence) {
        return EntryBuilder.encodeEmpty(new EntryHeader(kind, epoch, 0, 7, sequence, "a"));
    }

    private static byte[] hello(long epoch, long previous, long incarnation) {
        return EntryBuilder.encodeEmpty(new EntryHeader(EntryKind.HELLO, epoch, previous, incarnation, 1, "a"));
    }

    private static byte[] text(long epoch, long sequence, String text) {
        return Samples.entry(epoch, 7, sequence, Samples.message("r", text));
    }

    private void fill(int entries) {
        log.store(hello(EPOCH, 0, 7));
        for (int i = 1; i < entries; i++) log.store(text(EPOCH, 1 + i, "t" + i));
    }

    @Test
    void helloAfterATruncationDoesNotReplaceTheLog() {
        fill(10);
        log.store(hello(EPOCH + 500, 0, 8));
        log.store(text(EPOCH, 11, "after"));
        log.truncate(10);

        TestReader late = read(new LogReader.Begin.After(new Checkpoint(EPOCH, 4, 7, 5)));

        until(() -> late.observed.texts().contains("after"));
        assertThat(late.observed.gaps())
                .containsExactly(new LogGap(
                        LogGap.Reason.TRUNCATED, Position.of(EPOCH, 4, 2047), Position.of(EPOCH, 10, 0) - 1));
        assertThat(late.observed.entries())
                .allSatisfy(entry -> assertThat(entry.epoch()).isEqualTo(EPOCH));
    }

    @Test
    void entryRepublishedInAnotherEpochIsNotTheCheckpoint() {
        log.store(hello(EPOCH + 500, 0, 8));
        log.store(text(EPOCH + 500, 2, "again"));

        TestReader late = read(new LogReader.Begin.After(new Checkpoint(EPOCH, 1, 7, 2)));

        until(() -> late.observed.texts().contains("again"));
        assertReplaced(late.observed);
    }

    @Test
    void logEndingBelowTheCheckpointHasLostItsTail() {
        fill(10);

        TestReader late = read(new LogReader.Begin.After(new Checkpoint(EPOCH, 50, 7, 51)));

        until(() -> late.observed.messages().size() == 9);
        assertReplaced(late.observed);
    }

    @Test
    void writerBelowTheCheckpointDoesNotHideALostTail() {
        fill(10);
        TestReader late = read(new LogReader.Begin.After(new Checkpoint(EPOCH, 5000, 7, 5001)));

        List<Long> sequences = new ArrayList<>(List.of(11L));
        until(() -> {
            long sequence = sequences.getLast();
            log.store(text(EPOCH, sequence, "on"));
            sequences.add(sequence + 1);
            return !late.observed.gaps().isEmpty();
        });

        assertThat(log.end()).isLessThan(5000);
    }

    @Test
    void readerWaitsForALaggingReplica() {
        fill(10);
        TestReader late = read(new LogReader.Begin.After(new Checkpoint(EPOCH, 12, 7, 13)));
        await().during(SETTINGS.silence().multipliedBy(2))
                .until(() -> late.observed.gaps().isEmpty());

        for (int sequence = 11; sequence <= 14; sequence++) log.store(text(EPOCH, sequence, "t" + sequence));

        until(() -> !late.observed.entries().isEmpty());
        assertThat(late.observed.texts()).containsExactly("t14");
        assertThat(late.observed.gaps()).isEmpty();
    }

    @Test
    void serverLeavesALaggingReplicaAfterOneMinute() {
        SimulatedLog log = simulated(20);
        Observed observed = new Observed();
        try (LogReader reader = reader(log, new LogReader.Begin.Beginning(), 9, observed)) {
            reader.start();
            time.pass(Duration.ofSeconds(1));
            log.readReplicaThatLags(10);
            time.pass(Duration.ofSeconds(55));
            assertThat(log.elsewhere()).isZero();
            time.pass(Duration.ofSeconds(10));
            assertThat(log.elsewhere()).isOne();
            log.append(0, text(EPOCH, 21, "next"));
            time.pass(Duration.ofSeconds(5));

            assertThat(observed.texts()).hasSize(20).endsWith("next");
            assertThat(observed.gaps()).isEmpty();
        }
    }

    @Test
    void readerStaysWhileHeartbeatsCannotBeWritten() {
        SimulatedLog log = simulated(20);
        Observed observed = new Observed();
        try (LogReader reader = reader(log, new LogReader.Begin.Beginning(), 9, observed)) {
            reader.start();
            time.pass(Duration.ofSeconds(1));
            log.block(true);
            log.readReplicaThatLags(10);
            time.pass(Duration.ofMinutes(10));

            assertThat(log.elsewhere()).isZero();
            assertThat(observed.gaps()).isEmpty();
        }
    }

    /** If the entries read before were still in the log, it would be above them. */
    @ParameterizedTest
    @EnumSource(names = {"HELLO", "HEARTBEAT"})
    void ownHeartbeatBelowTheCheckpointProvesALostTail(EntryKind kind) {
        SimulatedLog log = simulated(10);
        Observed observed = new Observed();
        try (LogReader reader = reader(log, new LogReader.Begin.Beginning(), 7, observed)) {
            reader.start();
            time.pass(Duration.ofSeconds(1));
            log.loseTail(5);
            time.pass(Duration.ofSeconds(5));
            assertThat(observed.gaps()).isEmpty();
            log.append(0, emptyEntry(kind, EPOCH, 11));
            time.pass(Duration.ofSeconds(1));

            assertReplaced(observed);
        }
    }

    @Test
    void higherEpochBelowTheCheckpointProvesALostTail() {
        SimulatedLog log = simulated(10);
        Observed observed = new Observed();
        LogReader.Begin begin = new LogReader.Begin.After(new Checkpoint(EPOCH, 50, 7, 51));
        try (LogReader reader = reader(log, begin, 0, observed)) {
            reader.start();
            time.pass(Duration.ofSeconds(10));
            assertThat(observed.entries()).isEmpty();
            log.append(0, text(EPOCH + 500, 52, "below"));
            time.pass(Duration.ofSeconds(1));

            assertReplaced(observed);
            assertThat(observed.texts()).hasSize(10).endsWith("below");
        }
    }

    @Test
    void republishedEntryBelowTheCheckpointProvesNothing() {
        SimulatedLog log = simulated(2);
        log.append(0, emptyEntry(EntryKind.HEARTBEAT, EPOCH, 8));
        log.append(0, text(EPOCH, 5, "again"));
        time.pass(Duration.ofSeconds(1));
        log.readReplicaThatLags(1);
        Observed observed = new Observed();
        LogReader.Begin begin = new LogReader.Begin.After(new Checkpoint(EPOCH, 3, 7, 5));
        try (LogReader reader = reader(log, begin, 0, observed)) {
            reader.start();
            time.pass(Duration.ofSeconds(30));
            log.replicaCatchesUp();
            log.append(0, text(EPOCH, 9, "next"));
            time.pass(Duration.ofSeconds(1));

            assertThat(observed.gaps()).isEmpty();
            assertThat(observed.texts()).containsExactly("next");
        }
    }

    @Test
    void tailCountsAsLostAfterAMinuteOfEarlyEnds() {
        SimulatedLog log = simulated(10);
        Observed observed = new Observed();
        LogReader.Begin begin = new LogReader.Begin.After(new Checkpoint(EPOCH, 50, 7, 51));
        try (LogReader reader = reader(log, begin, 0, observed)) {
            reader.start();
            time.pass(Duration.ofSeconds(50));
            log.cutReading();
            time.pass(Duration.ofSeconds(55));
            assertThat(observed.entries()).isEmpty();
            time.pass(Duration.ofSeconds(20));
            log.append(0, text(EPOCH, 11, "next"));
            time.pass(Duration.ofSeconds(1));

            assertReplaced(observed);
            assertThat(observed.texts()).hasSize(10).endsWith("next");
        }
    }

    @Test
    void earlyEndIsReportedOncePerSubscription() {
        SimulatedLog log = simulated(10);
        Observed observed = new Observed();
        Checkpoint lookedFor = new Checkpoint(EPOCH, 50, 7, 51);
        try (LogReader reader = reader(log, new LogReader.Begin.After(lookedFor), 0, observed)) {
            reader.start();
            time.pass(Duration.ofMillis(500));
            assertThat(observed.beyondTheEnd())
                    .as("before an entry was received")
                    .isEmpty();
            time.pass(Duration.ofSeconds(10));
            log.append(0, text(EPOCH, 11, "on"));
            time.pass(Duration.ofSeconds(1));
            assertThat(observed.beyondTheEnd()).containsExactly(lookedFor);
            log.cutReading();
            time.pass(Duration.ofSeconds(10));
            assertThat(observed.beyondTheEnd()).containsExactly(lookedFor, lookedFor);
            assertThat(observed.gaps()).isEmpty();
        }
    }

    private static void assertReplaced(Observed observed) {
        assertThat(observed.gaps())
                .isNotEmpty()
                .allSatisfy(gap -> assertThat(gap.reason()).isEqualTo(LogGap.Reason.REPLACED));
    }

    /** The first entries read still have the earlier epoch, below the lost ones. */
    @Test
    void endOfALostTailIsReportedWithTheNextEpoch() {
        SimulatedLog log = simulated(10);
        Observed observed = new Observed();
        try (LogReader reader = reader(log, new LogReader.Begin.Beginning(), 7, observed)) {
            reader.start();
            time.pass(Duration.ofSeconds(1));
            log.loseTail(5);
            log.append(0, emptyEntry(EntryKind.HEARTBEAT, EPOCH, 11));
            time.pass(Duration.ofSeconds(5));
            long lost = Position.of(EPOCH, 9, 2047);
            assertThat(observed.gaps())
                    .containsExactly(new LogGap(LogGap.Reason.REPLACED, lost, lost, Position.of(EPOCH, 5, 0)));

            log.append(0, hello(EPOCH + 500, EPOCH, 8));
            log.append(0, text(EPOCH + 500, 12, "next"));
            time.pass(Duration.ofSeconds(1));

            assertThat(observed.texts()).endsWith("next");
            assertThat(observed.gaps())
                    .hasSize(2)
                    .last()
                    .isEqualTo(new LogGap(
                            LogGap.Reason.REPLACED,
                            lost,
                            Position.of(EPOCH + 500, 6, 0) - 1,
                            Position.of(EPOCH, 6, 0)));
        }
    }

    /** The log is read from its first entry again, whose epoch is older than the one before the second gap. */
    @Test
    void secondLostTailIsReportedWithItsRange() {
        SimulatedLog log = simulated(10);
        Observed observed = new Observed();
        try (LogReader reader = reader(log, new LogReader.Begin.Beginning(), 0, observed)) {
            reader.start();
            time.pass(Duration.ofSeconds(1));
            for (int loss = 1; loss <= 2; loss++) {
                long before = EPOCH + 500L * (loss - 1);
                long after = EPOCH + 500L * loss;
                log.loseTail(1);
                log.append(0, hello(after, before, 20 + loss));
                log.append(0, text(after, 100 + loss, "after " + loss));
                log.append(0, text(after, 200 + loss, "last of " + loss));
                time.pass(Duration.ofMinutes(2));
                assertThat(observed.texts()).endsWith("after " + loss, "last of " + loss);
                LogGap gap = observed.gaps().getLast();
                assertThat(gap.reason()).isEqualTo(LogGap.Reason.REPLACED);
                assertThat(gap.from()).isGreaterThanOrEqualTo(Position.of(before, 9, 2047));
                assertThat(gap.to())
                        .isGreaterThanOrEqualTo(Position.of(after, 9, 0) - 1)
                        .isLessThan(Position.of(after, 20, 0));
            }
        }
    }

    @Test
    void replacedLogKeepsNoEarlierEntries() {
        SimulatedLog log = simulated(10);
        Observed observed = new Observed();
        try (LogReader reader = reader(log, new LogReader.Begin.Beginning(), 8, observed)) {
            reader.start();
            time.pass(Duration.ofSeconds(1));
            log.loseTail(10);
            log.append(0, hello(EPOCH + 500, 0, 8));
            log.append(0, text(EPOCH + 500, 2, "other"));
            time.pass(Duration.ofSeconds(5));

            assertThat(observed.texts()).endsWith("other");
            assertReplaced(observed);
            assertThat(observed.gaps()).allSatisfy(gap -> assertThat(gap.kept()).isZero());
        }
    }

    /** Other servers had read it; its writer had not, and republished it in the new epoch. */
    @Test
    void entryLostWithTheTailIsDeliveredAgainWhenRepublished() {
        SimulatedLog log = simulated(10);
        Observed observed = new Observed();
        try (LogReader reader = reader(log, new LogReader.Begin.Beginning(), 8, observed)) {
            reader.start();
            time.pass(Duration.ofSeconds(1));
            log.loseTail(5);
            log.append(0, hello(EPOCH + 500, EPOCH, 8));
            log.append(0, text(EPOCH + 500, 10, "t10"));
            time.pass(Duration.ofSeconds(5));
            assertReplaced(observed);
            assertThat(observed.texts()).containsExactly("t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9", "t10", "t10");

            log.loseTail(1);
            log.append(0, hello(EPOCH + 1000, EPOCH + 500, 9));
            log.append(0, text(EPOCH + 1000, 11, "next"));
            time.pass(Duration.ofSeconds(5));

            assertThat(observed.texts()).hasSize(11).endsWith("t10", "next");
        }
    }

    @Test
    void checkpointAtTheEndIsFoundWithoutDuplicates() {
        fill(10);

        TestReader late = read(new LogReader.Begin.After(new Checkpoint(EPOCH, 9, 7, 10)));
        await().during(SETTINGS.silence().multipliedBy(2))
                .until(() -> late.observed.gaps().isEmpty());
        log.store(text(EPOCH, 11, "next"));

        until(() -> !late.observed.entries().isEmpty());
        assertThat(late.observed.texts()).containsExactly("next");
        assertThat(late.counters.resubscribed.sum()).as("faults").isZero();
    }

    /** It cannot distinguish a hanging tail from a partition without writers. */
    @Test
    void readerWithoutServerBacksOff() {
        SimulatedLog log = simulated(2);
        LogCounters counters = silentFor(Duration.ofMinutes(10), log, 0);
        assertThat(log.subscriptions())
                .as("after 15, 30, 60, 60, ... seconds, and where it was cut")
                .isBetween(12L, 17L);
        assertThat(counters.resubscribed.sum()).isZero();
        assertThat(log.elsewhere())
                .as("after 165 seconds, and not yet after 645")
                .isOne();
    }

    @Test
    void readerOfAnEmptyLogReportsSilenceHourlyInTheEnd() {
        SimulatedLog log = new SimulatedLog(new SimulatedLog.Broker(time, new Random(1)));
        silentFor(Duration.ofHours(6), log, 0);
        assertThat(log.elsewhere()).isEqualTo(8);
    }

    @Test
    void quietReaderIsReportedAndEndsTheSilenceByWriting() {
        SimulatedLog log = simulated(2);
        AtomicInteger written = new AtomicInteger();
        LogListener writes = new LogListener() {
            @Override
            public void entry(LogEntry entry) {}

            @Override
            public void quiet() {
                log.append(0, emptyEntry(EntryKind.HEARTBEAT, EPOCH, 2 + written.incrementAndGet()));
            }
        };
        try (LogReader reader = reader(log, new LogReader.Begin.Beginning(), 0, writes)) {
            reader.start();
            time.pass(Duration.ofMinutes(10));
        }
        assertThat(written).as("every 9 seconds").hasValueBetween(60, 70);
        assertThat(log.subscriptions()).isOne();
        assertThat(log.elsewhere()).isZero();
    }

    @Test
    void serverReaderReportsSilenceEveryMinute() {
        SimulatedLog log = simulated(2);
        LogCounters counters = silentFor(Duration.ofMinutes(10), log, 7);
        assertThat(counters.resubscribed.sum()).isBetween(33L, 41L);
        assertThat(log.elsewhere()).isBetween(8, 10);
    }

    /** Like a batch that could not be written for a while, on the same thread. */
    @Test
    void pauseOfTheReaderIsNoSilence() {
        SimulatedLog log = simulated(2);
        Observed observed = new Observed();
        try (LogReader reader = reader(log, new LogReader.Begin.Beginning(), 0, observed)) {
            reader.start();
            time.pass(Duration.ofSeconds(10));
            time.standStill(Duration.ofMinutes(2));
            log.append(0, text(EPOCH, 3, "meanwhile"));
            time.pass(Duration.ofSeconds(1));
        }
        assertThat(observed.texts()).contains("meanwhile");
        assertThat(log.subscriptions()).isOne();
    }

    @Test
    void readerContinuesWhenTheListenerThrows() {
        SimulatedLog log = simulated(2);
        Observed observed = new Observed();
        LogListener fails = new LogListener() {
            @Override
            public void entry(LogEntry entry) {
                observed.entry(entry);
            }

            @Override
            public void detached(LogUnavailable cause) {
                throw new IllegalStateException("a bug");
            }
        };
        try (LogReader reader = reader(log, new LogReader.Begin.Beginning(), 0, fails)) {
            reader.start();
            time.pass(Duration.ofSeconds(10));
            log.cutReading();
            time.pass(Duration.ofSeconds(10));
            log.append(0, text(EPOCH, 3, "afterwards"));
            time.pass(Duration.ofSeconds(1));
        }
        assertThat(observed.texts()).contains("afterwards");
    }

    /** Creates a reader that has read all entries and receives no more. */
    private LogCounters silentFor(Duration silence, SimulatedLog log, long ownRun) {
        LogCounters counters = new LogCounters();
        try (LogReader idle = reader(log, new LogReader.Begin.Beginning(), ownRun, counters, entry -> {})) {
            idle.start();
            time.pass(silence);
        }
        return counters;
    }

    private SimulatedLog simulated(int entries) {
        SimulatedLog simulated = new SimulatedLog(new SimulatedLog.Broker(time, new Random(1)));
        simulated.append(0, hello(EPOCH, 0, 7));
        for (int sequence = 2; sequence <= entries; sequence++)
            simulated.append(0, text(EPOCH, sequence, "t" + sequence));
        return simulated;
    }

    private LogReader reader(RoomLog log, LogReader.Begin begin, long ownRun, LogListener listener) {
        return reader(log, begin, ownRun, new LogCounters(), listener);
    }

    private LogReader reader(
            RoomLog log, LogReader.Begin begin, long ownRun, LogCounters counters, LogListener listener) {
        return new LogReader(
                log, 0, begin, LogSettings.DEFAULT, time::nanoTime, time.thread(), ownRun, counters, listener);
    }

    @Test
    void theLastEntryReadIsAcknowledgedEvenIfNoneFollows() {
        fill(7);

        TestReader all = read(new LogReader.Begin.Beginning());

        until(() -> all.observed.messages().size() == 6);
        until(() -> log.handled().contains(6L));
    }

    @Test
    void readerOfATruncatedLogWaitsForAnEntryWithTheEpoch() {
        fill(10);
        log.store(hello(EPOCH + 500, 0, 8));
        log.store(hello(EPOCH + 700, 0, 9));
        log.store(text(EPOCH, 11, "known"));
        log.truncate(10);

        TestReader late = read(new LogReader.Begin.Beginning());

        until(() -> !late.observed.entries().isEmpty());
        assertThat(late.observed.texts()).containsExactly("known");
        assertThat(late.observed.entries().getFirst().epoch()).isEqualTo(EPOCH);
        assertThat(late.counters.stale.sum()).isEqualTo(2);
    }
}

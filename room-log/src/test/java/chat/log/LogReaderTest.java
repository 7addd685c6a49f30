package chat.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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
    private static final long ORIGIN = 1_000_000;

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

    private static byte[] hello(long origin, long previous, long run) {
        return EntryBuilder.encodeEmpty(new EntryHeader(EntryKind.HELLO, origin, previous, run, 1, "a"));
    }

    private static byte[] text(long origin, long sequence, String text) {
        return Samples.entry(origin, 7, sequence, Samples.message("r", text));
    }

    private void fill(int entries) {
        log.store(hello(ORIGIN, 0, 7));
        for (int i = 1; i < entries; i++) log.store(text(ORIGIN, 1 + i, "t" + i));
    }

    @Test
    void aHelloThatComesFirstAfterATruncationIsNoOtherLog() {
        fill(10);
        log.store(hello(ORIGIN + 500, 0, 8));
        log.store(text(ORIGIN, 11, "after"));
        log.truncate(10);

        TestReader late = read(new LogReader.Begin.After(new Checkpoint(ORIGIN, 4, 7, 5)));

        until(() -> late.observed.texts().contains("after"));
        assertThat(late.observed.gaps())
                .containsExactly(new LogGap(
                        LogGap.Reason.TRUNCATED, Position.of(ORIGIN, 4, 2047), Position.of(ORIGIN, 10, 0) - 1));
        assertThat(late.observed.entries())
                .allSatisfy(entry -> assertThat(entry.origin()).isEqualTo(ORIGIN));
    }

    @Test
    void theSameEntryPublishedAgainForAnotherLogIsNotTheOneThatWasHandled() {
        log.store(hello(ORIGIN + 500, 0, 8));
        log.store(text(ORIGIN + 500, 2, "again"));

        TestReader late = read(new LogReader.Begin.After(new Checkpoint(ORIGIN, 1, 7, 2)));

        until(() -> late.observed.texts().contains("again"));
        assertThat(late.observed.gaps())
                .singleElement()
                .satisfies(gap -> assertThat(gap.reason()).isEqualTo(LogGap.Reason.REPLACED));
    }

    @Test
    void aLogThatEndsBeforeTheCheckpointHasLostItsTail() {
        fill(10);

        TestReader late = read(new LogReader.Begin.After(new Checkpoint(ORIGIN, 50, 7, 51)));

        until(() -> late.observed.messages().size() == 9);
        assertThat(late.observed.gaps())
                .singleElement()
                .satisfies(gap -> assertThat(gap.reason()).isEqualTo(LogGap.Reason.REPLACED));
    }

    @Test
    void oneWhoWritesOnBelowTheCheckpointDoesNotHideThatTheTailIsLost() {
        fill(10);
        TestReader late = read(new LogReader.Begin.After(new Checkpoint(ORIGIN, 5000, 7, 5001)));

        List<Long> sequences = new ArrayList<>(List.of(11L));
        until(() -> {
            long sequence = sequences.getLast();
            log.store(text(ORIGIN, sequence, "on"));
            sequences.add(sequence + 1);
            return !late.observed.gaps().isEmpty();
        });

        assertThat(log.end()).isLessThan(5000);
    }

    @Test
    void aReplicaThatLagsIsWaitedFor() {
        fill(10);
        TestReader late = read(new LogReader.Begin.After(new Checkpoint(ORIGIN, 12, 7, 13)));
        await().during(SETTINGS.silence().multipliedBy(2))
                .until(() -> late.observed.gaps().isEmpty());

        for (int sequence = 11; sequence <= 14; sequence++) log.store(text(ORIGIN, sequence, "t" + sequence));

        until(() -> !late.observed.entries().isEmpty());
        assertThat(late.observed.texts()).containsExactly("t14");
        assertThat(late.observed.gaps()).isEmpty();
    }

    @Test
    void whoWritesWaitsForAReplicaThatLagsAndLooksElsewhere() {
        VirtualTime time = new VirtualTime(new Random(1));
        SimulatedLog log = new SimulatedLog(new SimulatedLog.Broker(time, new Random(1)));
        log.append(0, hello(ORIGIN, 0, 8));
        for (int sequence = 2; sequence <= 20; sequence++) log.append(0, text(ORIGIN, sequence, "t" + sequence));
        Observed observed = new Observed();
        try (LogReader reader = reader(log, time, new LogReader.Begin.Beginning(), 9, new LogCounters(), observed)) {
            reader.start();
            time.pass(Duration.ofSeconds(1));
            assertThat(observed.messages()).hasSize(19);

            log.readReplicaThatLags(10);
            time.pass(LogSettings.DEFAULT.silence());
            assertThat(log.elsewhere()).isZero();
            time.pass(Duration.ofSeconds(5));
            assertThat(log.elsewhere()).isOne();
            log.append(0, text(ORIGIN, 21, "next"));
            time.pass(Duration.ofSeconds(5));

            assertThat(observed.texts()).hasSize(20).endsWith("next");
            assertThat(observed.gaps()).isEmpty();
        }
    }

    /** It would stand above, were what was read there before still there. */
    @Test
    void whatIsWrittenLaterAndStandsBelowProvesAtOnceThatTheTailIsLost() {
        VirtualTime time = new VirtualTime(new Random(1));
        SimulatedLog log = new SimulatedLog(new SimulatedLog.Broker(time, new Random(1)));
        log.append(0, hello(ORIGIN, 0, 7));
        for (int sequence = 2; sequence <= 10; sequence++) log.append(0, text(ORIGIN, sequence, "t" + sequence));
        Observed observed = new Observed();
        LogReader.Begin begin = new LogReader.Begin.After(new Checkpoint(ORIGIN, 50, 7, 51));
        try (LogReader reader = reader(log, time, begin, 0, new LogCounters(), observed)) {
            reader.start();
            time.pass(Duration.ofSeconds(10));
            assertThat(observed.entries()).isEmpty();
            log.append(0, text(ORIGIN, 52, "below"));
            time.pass(Duration.ofSeconds(1));

            assertThat(observed.texts()).hasSize(10).endsWith("below");
            assertThat(observed.gaps())
                    .singleElement()
                    .satisfies(gap -> assertThat(gap.reason()).isEqualTo(LogGap.Reason.REPLACED));
        }
    }

    @Test
    void aCheckpointAtTheEndIsFoundAndNothingIsToldAgain() {
        fill(10);

        TestReader late = read(new LogReader.Begin.After(new Checkpoint(ORIGIN, 9, 7, 10)));
        await().during(SETTINGS.silence().multipliedBy(2))
                .until(() -> late.observed.gaps().isEmpty());
        log.store(text(ORIGIN, 11, "next"));

        until(() -> !late.observed.entries().isEmpty());
        assertThat(late.observed.texts()).containsExactly("next");
        assertThat(late.counters.resubscribed.sum()).as("faults").isZero();
    }

    /** A tail that hangs and a partition where nobody writes look the same to it. */
    @Test
    void aReaderWithoutAServerSubscribesAnewLessAndLessOften() {
        assertThat(subscriptionsIn(Duration.ofMinutes(10), 0))
                .as("after 15, 30, 60, 60, ... seconds")
                .isBetween(10L, 13L);
    }

    @Test
    void aReaderWhoseServerIsNotHeardSubscribesAnewEveryTime() {
        assertThat(subscriptionsIn(Duration.ofMinutes(10), 7)).isBetween(33L, 41L);
    }

    /** Of one that has read what there is and then hears nothing. */
    private static long subscriptionsIn(Duration silence, long ownRun) {
        VirtualTime time = new VirtualTime(new Random(1));
        SimulatedLog log = new SimulatedLog(new SimulatedLog.Broker(time, new Random(1)));
        log.append(0, hello(ORIGIN, 0, 8));
        log.append(0, text(ORIGIN, 2, "last"));
        LogCounters counters = new LogCounters();
        try (LogReader idle = reader(log, time, new LogReader.Begin.Beginning(), ownRun, counters, entry -> {})) {
            idle.start();
            time.pass(silence);
        }
        assertThat(counters.resubscribed.sum()).isEqualTo(ownRun == 0 ? 0 : log.subscriptions() - 1);
        return log.subscriptions();
    }

    private static LogReader reader(
            RoomLog log,
            VirtualTime time,
            LogReader.Begin begin,
            long ownRun,
            LogCounters counters,
            LogListener listener) {
        return new LogReader(
                log,
                0,
                begin,
                LogSettings.DEFAULT,
                time.clock(),
                time::nanoTime,
                time.thread(),
                ownRun,
                counters,
                listener);
    }

    @Test
    void theLastEntryReadIsAcknowledgedEvenIfNoneFollows() {
        fill(7);

        TestReader all = read(new LogReader.Begin.Beginning());

        until(() -> all.observed.messages().size() == 6);
        until(() -> log.handled().contains(6L));
    }

    @Test
    void aReaderOfALogCutOffAtItsStartWaitsForOneWhoKnowsTheOrigin() {
        fill(10);
        log.store(hello(ORIGIN + 500, 0, 8));
        log.store(hello(ORIGIN + 700, 0, 9));
        log.store(text(ORIGIN, 11, "known"));
        log.truncate(10);

        TestReader late = read(new LogReader.Begin.Beginning());

        until(() -> !late.observed.entries().isEmpty());
        assertThat(late.observed.texts()).containsExactly("known");
        assertThat(late.observed.entries().getFirst().origin()).isEqualTo(ORIGIN);
        assertThat(late.counters.stale.sum()).isEqualTo(2);
    }
}

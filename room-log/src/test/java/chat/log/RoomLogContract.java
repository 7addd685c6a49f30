package chat.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.TestServer.Outcome;
import chat.log.TestServer.Sent;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of every {@link RoomLog}, with its readers and writers and with faults. */
abstract class RoomLogContract {
    static final LogSettings SETTINGS = new LogSettings(
            2,
            Duration.ofMillis(1),
            64 * 1024,
            64,
            Duration.ofMillis(500),
            Duration.ofSeconds(6),
            Duration.ofSeconds(20),
            Duration.ofSeconds(60),
            Duration.ofMillis(50));
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int P = 0;

    private final List<TestServer> servers = new ArrayList<>();
    private final List<TestReader> readers = new ArrayList<>();
    /** The servers' time source. */
    private final PausableTime time = new PausableTime();

    private LogUnderTest log;

    abstract LogUnderTest create();

    @BeforeEach
    void createLog() {
        log = create();
    }

    @AfterEach
    void closeAll() {
        servers.forEach(TestServer::close);
        readers.forEach(TestReader::close);
        log.close();
    }

    // --- reading and writing

    @Test
    void entriesComeBackInOrderWithAscendingPositions() {
        TestServer a = startedServer("a");
        TestServer b = startedServer("b");
        TestReader consumer = readerFromTheBeginning();

        a.send(300);
        b.send(300);

        awaitOutcomes(a, b);
        assertThat(a.sent(Outcome.ACCEPTED)).hasSize(300);
        assertThat(b.sent(Outcome.ACCEPTED)).hasSize(300);
        assertAllAgree(List.of(a, b), List.of(consumer));
    }

    @Test
    void readerResumesAtItsCheckpoint() {
        TestServer a = startedServer("a");
        TestReader first = readerFromTheBeginning();
        a.send(100);
        awaitOutcomes(a);
        awaitRead(first, a.sent(Outcome.ACCEPTED));
        first.close();
        Checkpoint checkpoint = first.observed.checkpoint();

        List<Sent> more = a.send(100);
        awaitOutcomes(a);
        TestReader second = readerAfter(checkpoint);
        awaitRead(second, more);

        assertThat(second.observed.ids()).isEqualTo(ids(more));
        assertThat(second.observed.gaps()).isEmpty();
        assertThat(second.observed.messages().getFirst().position())
                .isGreaterThan(first.observed.messages().getLast().position());
        second.observed.assertAscendingAndOnce();
    }

    @Test
    void readerResumesAtAnyEntryOfAnyChunk() {
        TestServer a = startedServer("a");
        for (int i = 0; i < 60; i++) {
            a.send(20);
            awaitOutcomes(a);
        }
        List<LogEntry> entries = a.observed.entries();

        for (int i = 0; i < entries.size() - 1; i += 7) {
            long next = entries.get(i + 1).offset();
            TestReader reader = readerAfter(Observed.checkpoint(entries.get(i)));
            until(() -> !reader.observed.entries().isEmpty());
            reader.close();
            assertThat(reader.observed.entries().getFirst().offset()).isEqualTo(next);
            assertThat(reader.observed.gaps()).isEmpty();
        }
    }

    @Test
    void anEntryPublishedTwiceIsReadOnce() {
        TestServer a = startedServer("a");
        TestReader consumer = readerFromTheBeginning();
        long epoch = a.observed.entries().getFirst().epoch();
        OutgoingMessage twice = Samples.message("room-1", "twice");
        byte[] entry = Samples.entry(epoch, 99, 1, twice);
        RoomLog raw = server();

        append(raw, entry);
        List<Sent> between = a.send(10);
        awaitOutcomes(a);
        append(raw, entry);
        List<Sent> last = a.send(10);
        awaitOutcomes(a);

        awaitRead(consumer, between);
        awaitRead(consumer, last);
        assertThat(consumer.observed.texts()).containsOnlyOnce("twice");
        assertThat(a.observed.texts()).containsOnlyOnce("twice").startsWith("twice");
        assertThat(a.counters.repeated.sum()).isEqualTo(1);
        assertAllAgree(List.of(a), List.of(consumer));
    }

    @Test
    void malformedEntriesAreSkipped() {
        TestServer a = startedServer("a");
        TestReader consumer = readerFromTheBeginning();
        RoomLog raw = server();

        append(raw, new byte[] {1, 2, 3});
        append(raw, new byte[0]);
        List<Sent> after = a.send(5);

        awaitOutcomes(a);
        awaitRead(consumer, after);
        assertThat(consumer.counters.malformed.sum()).isEqualTo(2);
        assertThat(a.sent(Outcome.ACCEPTED)).hasSize(5);
    }

    @Test
    void restartedServerHasANewIncarnation() {
        TestServer first = startedServer("a");
        TestServer witness = startedServer("b");
        TestReader consumer = readerFromTheBeginning();
        first.send(50);
        awaitOutcomes(first);
        first.close();

        TestServer second = startedServer("a");
        second.send(50);
        awaitOutcomes(second);

        assertThat(second.sent(Outcome.ACCEPTED)).hasSize(50);
        awaitRead(consumer, second.sent());
        assertThat(consumer.observed.messages()).hasSize(100);
        assertThat(witness.observed.gaps()).isEmpty();
        assertAllAgree(List.of(witness, second), List.of(consumer));
    }

    @Test
    void twoServersStartingAnEmptyLogAgreeOnTheEpoch() {
        for (int partition = 0; partition < 3; partition++) {
            TestServer a = server("a", partition, SETTINGS);
            TestServer b = server("b", partition, SETTINGS);
            a.send(20);
            b.send(20);
            awaitStarted(a, b);
            awaitOutcomes(a, b);
            TestReader consumer = reader(partition, new LogReader.Begin.Beginning());

            assertAllAgree(List.of(a, b), List.of(consumer));
            assertThat(consumer.observed.messages()).hasSize(40);
            assertThat(a.observed.entries().getFirst().epoch())
                    .isEqualTo(b.observed.entries().getFirst().epoch())
                    .isEqualTo(consumer.observed.entries().getFirst().epoch());
        }
    }

    @Test
    void serverReadsRecentEntriesBeforeItStarts() {
        TestServer a = startedServer("a");
        a.send(50);
        awaitOutcomes(a);

        assertKnowsWhenItStarts(50, Clock.systemUTC());
    }

    @Test
    void serverWithAWrongClockReadsRecentEntries() {
        TestServer a = startedServer("a");
        a.send(50);
        awaitOutcomes(a);

        assertKnowsWhenItStarts(50, Clock.offset(Clock.systemUTC(), Duration.ofHours(1)));
        assertKnowsWhenItStarts(50, Clock.offset(Clock.systemUTC(), Duration.ofHours(-1)));
    }

    @Test
    void readerOfRecentEntriesGetsNoOlderOnes() {
        TestServer a = startedServer("a");
        a.send(5);
        awaitOutcomes(a);
        int before = a.observed.entries().size();
        long lastOffset = a.observed.entries().getLast().offset();
        // Heartbeats show that time has passed in the log.
        until(() -> a.observed.entries().size() > before + 6);

        List<Long> offsets = new CopyOnWriteArrayList<>();
        RoomLog.Start recent = new RoomLog.Start.Ago(SETTINGS.heartbeat().multipliedBy(4));
        RoomLog.Tail tail = server().tail(P, recent, new RoomLog.TailHandler() {
            @Override
            public void entry(long offset, byte[] bytes) {
                offsets.add(offset);
            }

            @Override
            public void ended(LogUnavailable cause) {}
        });
        try (tail) {
            until(() -> !offsets.isEmpty());
            assertThat(offsets.getFirst()).isGreaterThan(lastOffset);
        }
    }

    private void assertKnowsWhenItStarts(int messages, Clock clock) {
        TestServer started = new TestServer("b", server(), P, SETTINGS, clock, time::nanoTime);
        servers.add(started);
        CompletableFuture<Integer> known =
                started.started.thenApply(unused -> started.observed.ids().size());
        until(known::isDone);

        assertThat(known).as("messages read before the start").isCompletedWithValue(messages);
    }

    @Test
    void drainCompletesWhenNothingIsInFlight() {
        TestServer a = startedServer("a");
        a.send(200);

        a.partition.drain().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();

        assertThat(a.sent(Outcome.ACCEPTED)).hasSize(200);
        a.partition.drain().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    // --- faults

    @Test
    void cutPublishingLosesAndDuplicatesNothing() {
        TestServer a = startedServer("a");
        TestServer b = startedServer("b");
        TestReader consumer = readerFromTheBeginning();
        a.load();
        b.load();

        for (int i = 0; i < 5; i++) {
            awaitProgress(a, b);
            log.cutPublishing();
        }

        assertGoesOn(a, b);
        assertNothingLost(List.of(a, b), List.of(consumer));
    }

    @Test
    void cutReadingLosesAndDuplicatesNothing() {
        TestServer a = startedServer("a");
        TestServer b = startedServer("b");
        TestReader consumer = readerFromTheBeginning();
        a.load();
        b.load();

        for (int i = 0; i < 5; i++) {
            awaitProgress(a, b);
            log.cutReading();
        }

        assertGoesOn(a, b);
        assertNothingLost(List.of(a, b), List.of(consumer));
    }

    @Test
    void serversRecoverWhenTheLogReturnsUnderLoad() {
        TestServer a = startedServer("a");
        TestServer b = startedServer("b");
        TestReader consumer = readerFromTheBeginning();
        a.load();
        b.load();
        awaitProgress(a, b);

        time.pause(); // the restart of a broker must not make entries overdue
        log.goDown();

        until(() -> !a.partition.available() && !b.partition.available());
        a.stopLoad();
        Sent refused = a.send();
        until(refused.outcome::isDone);
        assertThat(refused.outcome).isCompletedWithValue(Outcome.REFUSED);
        a.load();
        log.comeUp();
        time.goOn();
        until(() -> a.partition.available() && b.partition.available());
        assertGoesOn(a, b);
        assertNothingLost(List.of(a, b), List.of(consumer));
    }

    @Test
    void redeclaredLogHasAHigherEpoch() {
        TestServer a = startedServer("a");
        TestServer b = startedServer("b");
        TestReader consumer = readerFromTheBeginning();
        a.load();
        b.load();
        awaitProgress(a, b);
        // A server that has read nothing does not notice the replacement.
        until(() -> !consumer.observed.entries().isEmpty());
        long oldEpoch = a.observed.entries().getLast().epoch(); // a server's start may have raised the first one

        log.deleteAndDeclareAgain(P);

        until(() -> gaps(a.observed, b.observed, consumer.observed) >= 3);
        long highest = highestBefore(a.observed, oldEpoch);
        assertGoesOn(a, b);
        List<Observed> all = List.of(a.observed, b.observed, consumer.observed);
        // Messages accepted before may be lost with the log; all readers read those accepted after.
        for (Observed one : all) {
            Set<UUID> since = messageIds(since(one, oldEpoch));
            for (Observed other : all) until(() -> other.ids().containsAll(since));
        }
        for (Observed observed : all) {
            LogGap gap = observed.gaps().getFirst();
            assertThat(gap.reason()).isEqualTo(LogGap.Reason.REPLACED);
            assertThat(observed.gaps()).hasSize(1);
            assertThat(observed.messages()).isSortedAccordingTo(Comparator.comparingLong(Observed.Message::position));
            // A reader that was ahead of the writer when the log was replaced receives the message again after the GAP.
            for (List<Observed.Message> part : List.of(upTo(observed, oldEpoch), since(observed, oldEpoch))) {
                Observed.assertAscendingAndOnce(part);
                assertOrderKept(a, part);
                assertOrderKept(b, part);
            }
            assertThat(observed.entries().getLast().epoch()).isGreaterThan(oldEpoch);
            assertThat(observed.entries().getLast().position(0)).isGreaterThan(highest);
            // A reader may have read an entry in the old epoch before its writer, and need not receive it again.
            Set<UUID> common = messageIds(since(observed, oldEpoch));
            common.retainAll(messageIds(since(a.observed, oldEpoch)));
            assertThat(common).isNotEmpty();
            assertThat(only(common, since(observed, oldEpoch))).isEqualTo(only(common, since(a.observed, oldEpoch)));
        }
        assertNotifiedOnce(a, b);
    }

    @Test
    void readerBelowATruncationGetsAGapAndContinues() {
        TestServer a = startedServer("a");
        TestReader early = readerFromTheBeginning();
        a.send(50);
        awaitOutcomes(a);
        awaitRead(early, a.sent());
        early.close();
        Checkpoint checkpoint = early.observed.checkpoint();
        a.send(100);
        awaitOutcomes(a);
        long upTo = a.observed.entries().getLast().offset();

        log.truncateBelow(P, upTo, () -> {
            a.send(64);
            awaitOutcomes(a);
        });
        List<Sent> after = a.send(50);
        awaitOutcomes(a);
        TestReader late = readerAfter(checkpoint);
        awaitRead(late, after);

        assertThat(late.observed.gaps()).singleElement().satisfies(gap -> {
            assertThat(gap.reason()).isEqualTo(LogGap.Reason.TRUNCATED);
            assertThat(gap.from()).isGreaterThanOrEqualTo(checkpoint.position());
            assertThat(gap.to())
                    .isEqualTo(late.observed.entries().getFirst().position(0) - 1)
                    .isGreaterThanOrEqualTo(Position.of(checkpoint.epoch(), upTo, 0));
        });
        assertThat(late.observed.entries().getFirst().epoch()).isEqualTo(checkpoint.epoch());
        late.observed.assertAscendingAndOnce();
    }

    @Test
    void positionsOfALostTailAreNeverReused() {
        TestServer a = startedServer("a");
        TestServer b = startedServer("b");
        TestReader consumer = readerFromTheBeginning();
        a.send(50);
        awaitOutcomes(a);
        log.remember();
        until(() -> a.partition.available() && b.partition.available());
        a.send(100);
        b.send(100);
        awaitOutcomes(a, b);
        awaitAll(List.of(consumer), a, b);
        until(() -> a.observed.highest() == b.observed.highest());
        long highest = Math.max(a.observed.highest(), consumer.observed.highest());
        Set<UUID> before = a.observed.ids();

        log.loseTail();

        until(() -> gaps(a.observed, b.observed) == 2); // both have reported it
        until(() -> a.partition.available() && b.partition.available());
        List<Sent> after = new ArrayList<>(a.send(50));
        after.addAll(b.send(50));
        awaitOutcomes(a, b);
        awaitRead(consumer, accepted(after));
        for (Observed observed : List.of(a.observed, b.observed, consumer.observed)) {
            assertThat(observed.gaps()).isNotEmpty();
            assertThat(observed.gaps().getFirst().reason()).isEqualTo(LogGap.Reason.REPLACED);
            for (Observed.Message message : observed.messages()) {
                if (!before.contains(message.id()))
                    assertThat(message.position()).isGreaterThan(highest);
            }
        }
        assertThat(accepted(after)).isNotEmpty();
        assertNotifiedOnce(a, b);
        assertThat(newer(a.observed, before)).isEqualTo(newer(b.observed, before));
        assertThat(newer(consumer.observed, before)).isEqualTo(newer(b.observed, before));
    }

    /** Like a power cut: no server has read the lost entries, and the consumer starts later. */
    @Test
    void newServersReuseNoPositionOfALostTail() {
        TestServer a = startedServer("a");
        TestReader consumer = readerFromTheBeginning();
        a.send(50);
        awaitOutcomes(a);
        log.remember();
        until(a.partition::available);
        for (int i = 0; i < 20; i++) { // one entry each
            a.send();
            awaitOutcomes(a);
        }
        awaitAll(List.of(consumer), a);
        long highest = consumer.observed.highest();
        Checkpoint last = consumer.observed.checkpoint();
        consumer.close();
        a.close();

        log.loseTail();

        TestServer b = startedServer("b");
        TestServer c = startedServer("c");
        List<Sent> after = new ArrayList<>();
        for (int i = 0; i < 20; i++) { // the log grows beyond the checkpoint
            after.addAll(b.send(2));
            after.addAll(c.send(2));
            awaitOutcomes(b, c);
        }
        TestReader next = readerAfter(last);
        awaitRead(next, accepted(after));

        assertThat(accepted(after)).isNotEmpty();
        Set<UUID> messages = ids(after);
        for (Observed observed : List.of(b.observed, c.observed, next.observed)) {
            assertThat(observed.messages())
                    .filteredOn(message -> messages.contains(message.id()))
                    .hasSameSizeAs(accepted(after))
                    .allSatisfy(message -> assertThat(message.position()).isGreaterThan(highest));
        }
        assertThat(next.observed.gaps().getLast().from()).isGreaterThanOrEqualTo(last.position());
        assertThat(next.observed.gaps().getLast().to()).isGreaterThan(highest);
    }

    @Test
    void serverStartingBesideAnotherKeepsTheEpoch() {
        TestServer a = startedServer("a");
        a.send(50);
        awaitOutcomes(a);
        long epoch = a.observed.entries().getLast().epoch();
        a.load();

        // Long enough to read the other server's entries on a busy machine.
        TestServer b = startedServer("b", withReconnect(Duration.ofSeconds(20)));
        List<Sent> after = b.send(50);
        awaitOutcomes(b);
        a.stopLoad();
        awaitOutcomes(a);

        assertThat(accepted(after)).hasSize(50);
        for (Observed observed : List.of(a.observed, b.observed))
            assertThat(observed.entries())
                    .allSatisfy(entry -> assertThat(entry.epoch()).isEqualTo(epoch));
    }

    @Test
    void returnedEntriesAreRejected() {
        TestServer a = startedServer("a");

        log.unroute(P);
        Sent returned = a.send();
        awaitOutcomes(a);
        assertThat(returned.outcome).isCompletedWithValue(Outcome.REFUSED);

        log.route(P);
        until(() -> {
            Sent again = a.send();
            awaitOutcomes(a);
            return again.outcome.join() == Outcome.ACCEPTED;
        });
        assertThat(a.observed.ids()).doesNotContain(returned.id);
    }

    @Test
    void hangingLogFillsUpAndRecovers() {
        TestServer a = startedServer("a");
        TestReader consumer = readerFromTheBeginning();

        log.hang();
        a.send(500);
        until(() -> a.full.get() > 0);
        log.goOn();

        awaitOutcomes(a);
        assertNothingLost(List.of(a), List.of(consumer));
    }

    @Test
    void entryNotReadBackInTimeHasUnknownOutcome() {
        SteppedClock clock = new SteppedClock();
        TestServer a = new TestServer("a", server(), P, SETTINGS, clock, clock::nanoTime);
        servers.add(a);
        awaitStarted(a);
        Sent before = a.send();
        awaitOutcomes(a);

        log.hang();
        List<Sent> hanging = a.send(500);
        until(() -> a.full.get() > 0);
        until(() -> {
            clock.step(Duration.ofSeconds(1)); // in total more than the overdue time
            return hanging.getFirst().outcome.isDone();
        });
        clock.step(SETTINGS.overdue());
        assertThat(before.outcome).isCompletedWithValue(Outcome.ACCEPTED);
        assertThat(hanging.getFirst().outcome).isCompletedWithValue(Outcome.UNKNOWN);
        assertThat(a.counters.overdue.sum()).isPositive();
        until(() -> !a.sent(Outcome.REFUSED).isEmpty());
        log.goOn();

        until(() -> {
            Sent again = a.send();
            awaitOutcomes(a);
            return again.outcome.join() == Outcome.ACCEPTED;
        });
        assertNotifiedOnce(a);
        assertNoneOf(a.observed, a.sent(Outcome.REFUSED));
    }

    // --- servers and readers

    private RoomLog server() {
        RoomLog server = log.server();
        // An open breaker closes only when entries are written.
        until(() -> EnumSet.of(RoomLog.State.UP, RoomLog.State.PROBING).contains(server.state()));
        return server;
    }

    private TestServer server(String name, int partition, LogSettings settings) {
        TestServer server = new TestServer(name, server(), partition, settings, Clock.systemUTC(), time::nanoTime);
        servers.add(server);
        return server;
    }

    TestServer startedServer(String name) {
        return startedServer(name, SETTINGS);
    }

    private TestServer startedServer(String name, LogSettings settings) {
        TestServer server = server(name, P, settings);
        awaitStarted(server);
        until(server.partition::available);
        return server;
    }

    private static LogSettings withReconnect(Duration reconnect) {
        return new LogSettings(
                SETTINGS.unconfirmed(),
                SETTINGS.linger(),
                SETTINGS.maxEntryBytes(),
                SETTINGS.maxEntryMessages(),
                SETTINGS.heartbeat(),
                SETTINGS.silence(),
                SETTINGS.overdue(),
                SETTINGS.memory(),
                reconnect);
    }

    private TestReader reader(int partition, LogReader.Begin begin) {
        TestReader reader = new TestReader(server(), partition, begin, SETTINGS);
        readers.add(reader);
        return reader;
    }

    TestReader readerFromTheBeginning() {
        return reader(P, new LogReader.Begin.Beginning());
    }

    private TestReader readerAfter(Checkpoint checkpoint) {
        return reader(P, new LogReader.Begin.After(checkpoint));
    }

    private static void append(RoomLog log, byte[] entry) {
        log.append(P, entry)
                .toCompletableFuture()
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    // --- waiting

    private static void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(condition);
    }

    private static void awaitStarted(TestServer... servers) {
        for (TestServer server : servers) until(server.started::isDone);
    }

    private static void awaitOutcomes(TestServer... servers) {
        for (TestServer server : servers) until(server::knowsAllOutcomes);
    }

    /** Waits until each server has some more messages accepted. */
    static void awaitProgress(TestServer... servers) {
        for (TestServer server : servers) {
            long now = server.counters.accepted.sum();
            until(() -> server.counters.accepted.sum() > now + 20);
        }
    }

    private static void awaitRead(TestReader reader, Collection<Sent> messages) {
        Set<UUID> ids = ids(messages);
        until(() -> reader.observed.ids().containsAll(ids));
    }

    private static void awaitAll(List<TestReader> readers, TestServer... servers) {
        for (TestServer server : servers) {
            for (TestReader reader : readers) awaitRead(reader, server.sent(Outcome.ACCEPTED));
            for (TestServer other : servers) {
                Set<UUID> ids = ids(server.sent(Outcome.ACCEPTED));
                until(() -> other.observed.ids().containsAll(ids));
            }
        }
    }

    // --- assertions

    static void assertGoesOn(TestServer... servers) {
        awaitProgress(servers);
        for (TestServer server : servers) server.stopLoad();
        awaitOutcomes(servers);
    }

    /** All readers have read all accepted messages once and in the same order, and no rejected one. */
    static void assertNothingLost(List<TestServer> servers, List<TestReader> readers) {
        assertAllAgree(servers, readers);
        for (TestServer server : servers) {
            assertThat(server.sent(Outcome.UNKNOWN)).isEmpty();
            for (TestServer other : servers) assertThat(other.observed.gaps()).isEmpty();
            for (TestReader reader : readers) {
                assertThat(reader.observed.gaps()).isEmpty();
                assertNoneOf(reader.observed, server.sent(Outcome.REFUSED));
            }
        }
    }

    private static void assertAllAgree(List<TestServer> servers, List<TestReader> readers) {
        awaitAll(readers, servers.toArray(TestServer[]::new));
        List<Observed> all = new ArrayList<>();
        servers.forEach(server -> all.add(server.observed));
        readers.forEach(reader -> all.add(reader.observed));
        for (Observed observed : all) {
            observed.assertAscendingAndOnce();
            assertThat(observed.messages()).isEqualTo(all.getFirst().messages());
            for (TestServer server : servers) assertOrderKept(server, observed);
        }
        assertNotifiedOnce(servers.toArray(TestServer[]::new));
    }

    private static void assertNoneOf(Observed observed, Collection<Sent> messages) {
        Set<UUID> both = observed.ids();
        both.retainAll(ids(messages));
        assertThat(both).isEmpty();
    }

    private static void assertNotifiedOnce(TestServer... servers) {
        for (TestServer server : servers) assertThat(server.reportedTwice).hasValue(0);
    }

    /** The accepted messages of a server are in the log in the order of sending. */
    private static void assertOrderKept(TestServer server, Observed observed) {
        assertOrderKept(server, observed.messages());
    }

    private static void assertOrderKept(TestServer server, List<Observed.Message> messages) {
        List<UUID> sent = server.sent(Outcome.ACCEPTED).stream()
                .map(message -> message.id)
                .toList();
        Set<UUID> own = new HashSet<>(sent);
        Set<UUID> read = messageIds(messages);
        // Not containsExactly, which is quadratic: there may be a million.
        assertThat(messages.stream()
                        .map(Observed.Message::id)
                        .filter(own::contains)
                        .toList())
                .isEqualTo(sent.stream().filter(read::contains).toList());
    }

    private static int gaps(Observed... all) {
        int told = 0;
        for (Observed observed : all) if (!observed.gaps().isEmpty()) told++;
        return told;
    }

    private static long highestBefore(Observed observed, long epoch) {
        return observed.entries().stream()
                .filter(entry -> entry.epoch() == epoch)
                .mapToLong(LogEntry::lastPosition)
                .max()
                .orElseThrow();
    }

    /** The messages in this epoch and earlier ones. */
    private static List<Observed.Message> upTo(Observed observed, long epoch) {
        int later = since(observed, epoch).size();
        return observed.messages().subList(0, observed.messages().size() - later);
    }

    /** The messages in later epochs than this one. */
    private static List<Observed.Message> since(Observed observed, long epoch) {
        long first = observed.entries().stream()
                .filter(entry -> entry.epoch() > epoch)
                .mapToLong(entry -> entry.position(0))
                .min()
                .orElseThrow();
        return observed.messages().stream()
                .filter(message -> message.position() >= first)
                .toList();
    }

    private static Set<UUID> messageIds(List<Observed.Message> messages) {
        return messages.stream().map(Observed.Message::id).collect(Collectors.toSet());
    }

    private static List<Observed.Message> only(Set<UUID> ids, List<Observed.Message> messages) {
        return messages.stream().filter(message -> ids.contains(message.id())).toList();
    }

    private static List<Observed.Message> newer(Observed observed, Set<UUID> before) {
        return observed.messages().stream()
                .filter(message -> !before.contains(message.id()))
                .toList();
    }

    private static List<Sent> accepted(List<Sent> messages) {
        return messages.stream()
                .filter(message -> message.outcome.getNow(null) == Outcome.ACCEPTED)
                .toList();
    }

    private static Set<UUID> ids(Collection<Sent> messages) {
        Set<UUID> ids = new HashSet<>();
        messages.forEach(message -> ids.add(message.id));
        return ids;
    }
}

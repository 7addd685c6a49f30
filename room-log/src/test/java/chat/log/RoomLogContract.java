package chat.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.TestServer.Outcome;
import chat.log.TestServer.Sent;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link RoomLog} does, together with those who read and write it, whatever happens to it. */
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
    /** By which the servers find things due. */
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
    void aReaderGoesOnFromItsCheckpoint() {
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
    void aReaderAttachesAtEveryEntryHoweverTheLogIsCutIntoPieces() {
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
        long origin = a.observed.entries().getFirst().origin();
        OutgoingMessage twice = Samples.message("room-1", "twice");
        byte[] entry = Samples.entry(origin, 99, 1, twice);
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
    void whatCannotBeReadIsPassedOver() {
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
    void aServerThatStartsAgainIsNotTakenForItsFormerSelf() {
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
    void twoServersThatBeginAnEmptyLogAtOnceAgree() {
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
            assertThat(a.observed.entries().getFirst().origin())
                    .isEqualTo(b.observed.entries().getFirst().origin())
                    .isEqualTo(consumer.observed.entries().getFirst().origin());
        }
    }

    @Test
    void aServerReadsTheRecentPastBeforeItStarts() {
        TestServer a = startedServer("a");
        a.send(50);
        awaitOutcomes(a);

        assertKnowsWhenItStarts(50, Clock.systemUTC());
    }

    @Test
    void aServerWhoseClockIsWrongReadsTheRecentPastAllTheSame() {
        TestServer a = startedServer("a");
        a.send(50);
        awaitOutcomes(a);

        assertKnowsWhenItStarts(50, Clock.offset(Clock.systemUTC(), Duration.ofHours(1)));
        assertKnowsWhenItStarts(50, Clock.offset(Clock.systemUTC(), Duration.ofHours(-1)));
    }

    @Test
    void theRecentPastIsNoMoreThanWasAskedFor() {
        TestServer a = startedServer("a");
        a.send(5);
        awaitOutcomes(a);
        int before = a.observed.entries().size();
        long said = a.observed.entries().getLast().offset();
        // Signs of life tell that time has passed for the log, too.
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
            assertThat(offsets.getFirst()).isGreaterThan(said);
        }
    }

    private void assertKnowsWhenItStarts(int messages, Clock clock) {
        TestServer started = new TestServer("b", server(), P, SETTINGS, clock, time::nanoTime);
        servers.add(started);
        CompletableFuture<Integer> known =
                started.started.thenApply(unused -> started.observed.ids().size());
        until(known::isDone);

        assertThat(known).as("messages known when it started").isCompletedWithValue(messages);
    }

    @Test
    void drainCompletesWhenNothingIsOnItsWay() {
        TestServer a = startedServer("a");
        a.send(200);

        a.partition.drain().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();

        assertThat(a.sent(Outcome.ACCEPTED)).hasSize(200);
        a.partition.drain().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    // --- what can happen

    @Test
    void nothingIsLostOrDoubledWhenPublishingIsCut() {
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
    void nothingIsLostOrDoubledWhenReadingIsCut() {
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
    void theLogGoesAwayUnderLoadAndComesBack() {
        TestServer a = startedServer("a");
        TestServer b = startedServer("b");
        TestReader consumer = readerFromTheBeginning();
        a.load();
        b.load();
        awaitProgress(a, b);

        time.pause(); // however long a broker takes to stop and to start, nothing is overdue by that
        log.goDown();

        until(() -> !a.partition.available() && !b.partition.available());
        a.rest();
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
    void aLogDeletedAndDeclaredAnewLiesAboveTheOldOne() {
        TestServer a = startedServer("a");
        TestServer b = startedServer("b");
        TestReader consumer = readerFromTheBeginning();
        a.load();
        b.load();
        awaitProgress(a, b);
        // To who has read nothing yet the new log replaces nothing.
        until(() -> !consumer.observed.entries().isEmpty());
        long oldOrigin = a.observed.entries().getFirst().origin();

        log.deleteAndDeclareAnew(P);

        until(() -> gaps(a.observed, b.observed, consumer.observed) >= 3);
        long highest = highestBefore(a.observed, oldOrigin);
        assertGoesOn(a, b);
        List<Observed> all = List.of(a.observed, b.observed, consumer.observed);
        // What was accepted before may be gone with the log; what was accepted after is read by everybody.
        for (Observed one : all) {
            Set<UUID> since = ids(one, oldOrigin);
            for (Observed other : all) until(() -> other.ids().containsAll(since));
        }
        for (Observed observed : all) {
            LogGap gap = observed.gaps().getFirst();
            assertThat(gap.reason()).isEqualTo(LogGap.Reason.REPLACED);
            assertThat(observed.gaps()).hasSize(1);
            observed.assertAscendingAndOnce();
            assertThat(observed.entries().getLast().origin()).isGreaterThan(oldOrigin);
            assertThat(observed.entries().getLast().position(0)).isGreaterThan(highest);
            assertOrderKept(a, observed);
            assertOrderKept(b, observed);
            // Some may have read an entry in the old log already that its owner had not: there it keeps its place.
            Set<UUID> common = ids(observed, oldOrigin);
            common.retainAll(ids(a.observed, oldOrigin));
            assertThat(common).isNotEmpty();
            assertThat(only(common, observed)).isEqualTo(only(common, a.observed));
        }
        assertToldOnce(a, b);
    }

    @Test
    void aReaderBelowWhichTheLogIsTruncatedIsToldAndGoesOn() {
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
                    .isGreaterThanOrEqualTo(Position.of(checkpoint.origin(), upTo, 0));
        });
        assertThat(late.observed.entries().getFirst().origin()).isEqualTo(checkpoint.origin());
        late.observed.assertAscendingAndOnce();
    }

    @Test
    void positionsOfALostTailAreNeverGivenOutAgain() {
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

        until(() -> gaps(a.observed, b.observed) == 2); // both have seen it
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
        assertToldOnce(a, b);
        assertThat(newer(a.observed, before)).isEqualTo(newer(b.observed, before));
        assertThat(newer(consumer.observed, before)).isEqualTo(newer(b.observed, before));
    }

    /** As after a power cut: no server is left that has read the lost entries, and the consumer comes later. */
    @Test
    void newServersGiveOutNoPositionOfALostTail() {
        TestServer a = startedServer("a");
        TestReader consumer = readerFromTheBeginning();
        a.send(50);
        awaitOutcomes(a);
        log.remember();
        until(a.partition::available);
        for (int i = 0; i < 20; i++) { // entries of their own
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
        for (int i = 0; i < 20; i++) { // the log grows beyond what is looked for
            after.addAll(b.send(2));
            after.addAll(c.send(2));
            awaitOutcomes(b, c);
        }
        TestReader next = readerAfter(last);
        awaitRead(next, accepted(after));

        assertThat(accepted(after)).isNotEmpty();
        Set<UUID> said = ids(after);
        for (Observed observed : List.of(b.observed, c.observed, next.observed)) {
            assertThat(observed.messages())
                    .filteredOn(message -> said.contains(message.id()))
                    .hasSameSizeAs(accepted(after))
                    .allSatisfy(message -> assertThat(message.position()).isGreaterThan(highest));
        }
        assertThat(next.observed.gaps().getLast().from()).isGreaterThanOrEqualTo(last.position());
        assertThat(next.observed.gaps().getLast().to()).isGreaterThan(highest);
    }

    @Test
    void aServerThatStartsWhileAnotherRunsLeavesTheOrigin() {
        TestServer a = startedServer("a");
        a.send(50);
        awaitOutcomes(a);
        long origin = a.observed.entries().getLast().origin();
        a.load();

        // Long enough to hear of the other one on a busy machine.
        TestServer b = startedServer("b", withReconnect(Duration.ofSeconds(20)));
        List<Sent> after = b.send(50);
        awaitOutcomes(b);
        a.rest();
        awaitOutcomes(a);

        assertThat(accepted(after)).hasSize(50);
        for (Observed observed : List.of(a.observed, b.observed))
            assertThat(observed.entries())
                    .allSatisfy(entry -> assertThat(entry.origin()).isEqualTo(origin));
    }

    @Test
    void whatIsReturnedIsRefused() {
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
    void aHangingLogFillsUpAndGoesOn() {
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
    void whatIsNotReadBackInTimeIsUnknown() {
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
            clock.step(Duration.ofSeconds(1)); // less than the overdue time in all would not do
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
        assertToldOnce(a);
        assertNoneOf(a.observed, a.sent(Outcome.REFUSED));
    }

    // --- servers and readers

    private RoomLog server() {
        RoomLog server = log.server();
        // A breaker that has tripped meanwhile closes only once somebody writes.
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

    /** Each has some more messages accepted than it has now. */
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

    // --- judging

    static void assertGoesOn(TestServer... servers) {
        awaitProgress(servers);
        for (TestServer server : servers) server.rest();
        awaitOutcomes(servers);
    }

    /** All that was accepted has been read by everybody, in one order and once; of the rest nothing. */
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
        assertToldOnce(servers.toArray(TestServer[]::new));
    }

    private static void assertNoneOf(Observed observed, Collection<Sent> messages) {
        Set<UUID> both = observed.ids();
        both.retainAll(ids(messages));
        assertThat(both).isEmpty();
    }

    private static void assertToldOnce(TestServer... servers) {
        for (TestServer server : servers) assertThat(server.toldTwice).hasValue(0);
    }

    /** The accepted messages of a server stand in the log in the order in which it sent them. */
    private static void assertOrderKept(TestServer server, Observed observed) {
        List<UUID> sent = server.sent(Outcome.ACCEPTED).stream()
                .map(message -> message.id)
                .toList();
        Set<UUID> own = new HashSet<>(sent);
        Set<UUID> read = observed.ids();
        // Not containsExactly, which is quadratic: there may be a million.
        assertThat(observed.messages().stream()
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

    private static long highestBefore(Observed observed, long origin) {
        return observed.entries().stream()
                .filter(entry -> entry.origin() == origin)
                .mapToLong(LogEntry::lastPosition)
                .max()
                .orElseThrow();
    }

    /** Of the messages that stand in a later log than the one of this origin. */
    private static Set<UUID> ids(Observed observed, long laterThan) {
        long first = observed.entries().stream()
                .filter(entry -> entry.origin() > laterThan)
                .mapToLong(entry -> entry.position(0))
                .min()
                .orElseThrow();
        Set<UUID> ids = new HashSet<>();
        for (Observed.Message message : observed.messages()) if (message.position() >= first) ids.add(message.id());
        return ids;
    }

    private static List<Observed.Message> only(Set<UUID> ids, Observed observed) {
        return observed.messages().stream()
                .filter(message -> ids.contains(message.id()))
                .toList();
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

package chat.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.LogUnavailable.Outcome;
import chat.log.ScriptedLog.Append;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LogPartitionTest {
    private static final LogSettings SETTINGS = new LogSettings(
            2,
            Duration.ZERO,
            64 * 1024,
            10,
            Duration.ofMillis(400),
            Duration.ofSeconds(15),
            Duration.ofSeconds(50),
            Duration.ofSeconds(60),
            Duration.ofMillis(50));

    private static final LogSettings LINGERING = new LogSettings(
            2,
            Duration.ofMillis(100),
            SETTINGS.maxEntryBytes(),
            SETTINGS.maxEntryMessages(),
            SETTINGS.heartbeat(),
            SETTINGS.silence(),
            SETTINGS.overdue(),
            SETTINGS.memory(),
            SETTINGS.reconnect());

    private final ScriptedLog log = new ScriptedLog();
    private final List<TestServer> servers = new ArrayList<>();

    @AfterEach
    void closeAll() {
        servers.forEach(TestServer::close);
    }

    private static void until(Callable<Boolean> condition) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .until(condition);
    }

    private TestServer server(RoomLog on, Clock clock) {
        TestServer server = new TestServer("a", on, 0, SETTINGS, clock);
        servers.add(server);
        return server;
    }

    private TestServer startedServer() {
        return started(server(log, Clock.systemUTC()));
    }

    /** @param nanos the server's time source */
    private TestServer startedServer(LongSupplier nanos) {
        TestServer server = new TestServer("a", log, 0, SETTINGS, Clock.systemUTC(), nanos);
        servers.add(server);
        return started(server);
    }

    private static TestServer started(TestServer server) {
        until(server.started::isDone);
        until(server.partition::available);
        return server;
    }

    /** Sends one message and waits until it has been appended, in its own entry. */
    private Append sendAlone(TestServer server) {
        int before = log.messages().size();
        server.send();
        until(() -> log.messages().size() > before);
        return log.messages().getLast();
    }

    /** Returns when the partition has run all queued steps. */
    private static void settle(TestServer server) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        server.partition.whenRoom(() -> done.complete(null));
        done.orTimeout(10, TimeUnit.SECONDS).join();
    }

    private static List<Long> sequences(List<Append> appends) {
        return appends.stream().map(append -> append.header.sequence()).toList();
    }

    @Test
    void queuedMessagesShareOneEntryWhileTwoAreUnconfirmed() {
        TestServer a = startedServer();
        Append first = sendAlone(a);
        sendAlone(a);
        a.send(5);

        assertThat(log.messages()).hasSize(2);
        first.arrive();
        first.confirm();

        until(() -> log.messages().size() == 3);
        assertThat(LogEntry.parse(log.messages().getLast().bytes, 1, 0).messages())
                .isEqualTo(5);
    }

    @Test
    void messagesShareOneEntryWhileThePartitionLingers() {
        VirtualTime time = new VirtualTime(new Random(1));
        TestServer a = lingering(time);
        a.send();
        time.pass(Duration.ofMillis(1));
        assertThat(log.messages()).as("after an interval without entries").hasSize(7);

        a.send(3);
        time.pass(Duration.ofMillis(50));
        a.send(2);
        time.pass(Duration.ofMillis(48));
        assertThat(log.messages()).as("the entry lingers").hasSize(7);
        time.pass(Duration.ofMillis(2));
        assertThat(log.messages()).hasSize(8);
        assertThat(LogEntry.parse(log.messages().getLast().bytes, 1, 0).messages())
                .isEqualTo(5);
    }

    @Test
    void fullEntryDoesNotLinger() {
        VirtualTime time = new VirtualTime(new Random(1));
        TestServer a = lingering(time);
        a.send();
        time.pass(Duration.ofMillis(1));
        a.send(SETTINGS.maxEntryMessages() + 1);
        time.pass(Duration.ofMillis(1));
        assertThat(log.messages()).hasSize(8);
        assertThat(LogEntry.parse(log.messages().getLast().bytes, 1, 0).messages())
                .isEqualTo(SETTINGS.maxEntryMessages());
    }

    @Test
    void partitionDoesNotLingerAfterASecondWithoutEntries() {
        VirtualTime time = new VirtualTime(new Random(1));
        TestServer a = lingering(time);
        time.pass(Duration.ofSeconds(1));
        for (int i = 1; i <= 2; i++) {
            a.send();
            time.pass(Duration.ofMillis(1));
            assertThat(log.messages()).hasSize(6 + i);
        }
    }

    /** Creates a server that has published six entries; all but the first were slow, so that it lingers for 100 ms. */
    private TestServer lingering(VirtualTime time) {
        TestServer a = new TestServer("a", log, 0, LINGERING, time.clock(), time::nanoTime, time.thread());
        servers.add(a);
        time.pass(Duration.ofSeconds(1));
        for (int i = 0; i < 6; i++) {
            a.send();
            time.pass(Duration.ofMillis(i == 0 ? 1 : 200));
            arriveAndConfirm(log.messages().getLast(), time);
        }
        time.pass(Duration.ofMillis(100));
        return a;
    }

    @Test
    void partitionWithQueuedOrUnconfirmedEntriesIsNotClosed() {
        VirtualTime time = new VirtualTime(new Random(1));
        TestServer a = new TestServer("a", log, 0, LINGERING, time.clock(), time::nanoTime, time.thread());
        servers.add(a);
        assertThat(a.partition.closeIfIdle()).as("before it has started").isFalse();
        time.pass(Duration.ofSeconds(1));
        a.send();
        assertThat(a.partition.closeIfIdle()).as("with a queued message").isFalse();
        time.pass(Duration.ofMillis(1));
        assertThat(a.partition.closeIfIdle()).as("with an entry in flight").isFalse();
        arriveAndConfirm(log.messages().getLast(), time);
        log.holdHeartbeats();
        time.pass(LINGERING.heartbeat().multipliedBy(2));
        assertThat(a.partition.closeIfIdle())
                .as("with an unconfirmed heartbeat")
                .isFalse();
        for (Append heartbeat : log.appends(EntryKind.HEARTBEAT)) heartbeat.confirm();
        log.letSignsArrive();
        time.pass(Duration.ofMillis(1));

        assertThat(a.partition.closeIfIdle()).isTrue();
        assertThat(a.counters.unconfirmed.sum()).isZero();
        assertThat(a.partition.closeIfIdle()).as("once").isFalse();
        assertThat(a.partition.available()).isFalse();
        int heartbeats = log.appends(EntryKind.HEARTBEAT).size();
        time.pass(Duration.ofMinutes(1));
        assertThat(log.appends(EntryKind.HEARTBEAT)).as("heartbeats").hasSize(heartbeats);
        assertThat(a.send().outcome).isCompletedWithValue(TestServer.Outcome.REFUSED);
    }

    private static void arriveAndConfirm(Append append, VirtualTime time) {
        append.arrive();
        append.confirm();
        time.pass(Duration.ofMillis(1));
    }

    /** A message offered while others are taken is in one entry, not in two. */
    @Test
    void messageOfferedDuringPublishingIsPublishedOnce() {
        try (InMemoryRoomLog memory = new InMemoryRoomLog(1, 1 << 30, Clock.systemUTC())) {
            TestServer a = server(memory, Clock.systemUTC());
            until(a.partition::available);
            AtomicBoolean sending = new AtomicBoolean(true);
            Runnable takesAllTheTime = new Runnable() {
                @Override
                public void run() {
                    if (sending.get()) a.partition.whenRoom(this);
                }
            };
            takesAllTheTime.run();
            List<Thread> senders = new ArrayList<>();
            List<TestServer.Sent> sent = Collections.synchronizedList(new ArrayList<>());
            for (int sender = 0; sender < 6; sender++) {
                senders.add(Thread.ofPlatform().start(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        TestServer.Sent message = new TestServer.Sent("x");
                        if (a.partition.offer(Samples.message("r", message.id, Samples.IPV4, "42", "x"), message)
                                == LogPartition.Offer.TAKEN) sent.add(message);
                        for (int spin = 0; spin < i % 500; spin++) Thread.onSpinWait();
                    }
                }));
            }
            for (Thread sender : senders) assertThat(joined(sender)).isTrue();
            sending.set(false);

            a.partition.drain().orTimeout(10, TimeUnit.SECONDS).join();
            assertThat(sent).allMatch(message -> message.outcome.getNow(null) == TestServer.Outcome.ACCEPTED);
            assertThat(a.reportedTwice).hasValue(0);
            assertThat(a.observed.messages()).hasSameSizeAs(sent);
        }
    }

    private static boolean joined(Thread thread) {
        try {
            return thread.join(Duration.ofSeconds(30));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Test
    void failedEntriesAreRepublishedInOrder() {
        TestServer a = startedServer();
        Append first = sendAlone(a);
        Append second = sendAlone(a);
        a.send();

        first.fail(Outcome.UNKNOWN);
        await().during(Duration.ofMillis(300)).until(() -> log.messages().size() == 2);
        second.fail(Outcome.UNKNOWN);

        until(() -> log.messages().size() == 3);
        log.messages().getLast().arrive();
        log.messages().getLast().confirm();
        until(() -> log.messages().size() == 4);
        List<Append> again = log.messages().subList(2, 4);
        assertThat(sequences(again)).isEqualTo(sequences(List.of(first, second)));
        again.getLast().arrive();
        again.getLast().confirm();
        until(() -> log.messages().size() == 5);
        log.messages().getLast().arrive();
        until(a::knowsAllOutcomes);
        assertThat(a.observed.texts()).containsExactly("a-1", "a-2", "a-3");
    }

    @Test
    void failingLogIsRetriedAtIntervals() {
        TestServer a = startedServer();
        long begun = System.nanoTime();
        log.failAll(Outcome.UNKNOWN);
        a.send();

        until(() -> log.messages().size() >= 5);

        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
        assertThat(millis).isGreaterThanOrEqualTo(4 * SETTINGS.reconnect().toMillis());
        log.failAll(null);
        until(() -> log.messages().getLast().isOpen());
        log.messages().getLast().arrive();
        until(a::knowsAllOutcomes);
        assertThat(a.sent(TestServer.Outcome.ACCEPTED)).hasSize(1);
    }

    @Test
    void unwrittenEntryIsRejectedAndUnknownOneIsRepublished() {
        TestServer a = startedServer();
        Append first = sendAlone(a);
        Append second = sendAlone(a);

        first.fail(Outcome.UNKNOWN);
        second.fail(Outcome.NOT_WRITTEN);

        until(() -> log.messages().size() == 3);
        Append again = log.messages().getLast();
        assertThat(again.header.sequence()).isEqualTo(first.header.sequence());
        again.fail(Outcome.NOT_WRITTEN);
        until(() -> log.messages().size() == 4);
        assertThat(a.sent(TestServer.Outcome.REFUSED))
                .extracting(sent -> sent.text)
                .containsExactly("a-2");
        assertThat(a.sent().getFirst().outcome).isNotDone();
    }

    @Test
    void newEntriesDoNotOvertakeAReturnedRepublishedOne() {
        TestServer a = startedServer();
        Append first = sendAlone(a);
        Append second = sendAlone(a);
        a.send();
        first.fail(Outcome.UNKNOWN);
        second.fail(Outcome.UNKNOWN);

        until(() -> log.messages().size() == 3);
        log.messages().getLast().fail(Outcome.NOT_WRITTEN);
        until(() -> log.messages().size() == 4);

        Append again = log.messages().getLast();
        assertThat(again.header.sequence()).isEqualTo(first.header.sequence());
        for (int i = 3; i < 6; i++) {
            int expected = i + 1;
            until(() -> log.messages().size() == expected);
            Append next = log.messages().getLast();
            next.arrive();
            next.confirm();
        }
        until(a::knowsAllOutcomes);
        assertThat(a.observed.texts()).containsExactly("a-1", "a-2", "a-3");
    }

    @Test
    void readBackEntryStaysAcceptedWithoutConfirm() {
        TestServer a = startedServer();
        Append first = sendAlone(a);

        first.arrive();
        until(a::knowsAllOutcomes);
        first.fail(Outcome.NOT_WRITTEN);
        Append next = sendAlone(a);
        next.arrive();
        next.confirm();

        until(a::knowsAllOutcomes);
        assertThat(a.sent(TestServer.Outcome.ACCEPTED)).hasSize(2);
        assertThat(a.reportedTwice).hasValue(0);
    }

    @Test
    void entriesOfAnEarlierEpochAreRepublishedBeforeNewOnes() {
        TestServer a = startedServer();
        Append first = sendAlone(a);
        Append second = sendAlone(a);
        a.send();
        long epoch = first.header.epoch();
        byte[] firstBytes = first.bytes.clone();

        log.store(
                EntryBuilder.encodeEmpty(new EntryHeader(EntryKind.HELLO, epoch + 5_000_000, epoch, 99, 1, "another")));
        first.arrive();
        first.confirm();
        await().during(Duration.ofMillis(300)).until(() -> log.messages().size() == 2);
        second.arrive();
        second.confirm();

        until(() -> log.messages().size() == 3);
        log.messages().getLast().arrive();
        log.messages().getLast().confirm();
        until(() -> log.messages().size() == 4);
        List<Append> again = log.messages().subList(2, 4);
        assertThat(sequences(again)).isEqualTo(sequences(List.of(first, second)));
        assertThat(again).allSatisfy(append -> assertThat(append.header.epoch()).isEqualTo(epoch + 5_000_000));
        assertThat(first.bytes).as("the stored entry").isEqualTo(firstBytes);
        again.getLast().arrive();
        again.getLast().confirm();
        until(() -> log.messages().size() == 5);
        log.messages().getLast().arrive();
        until(a::knowsAllOutcomes);
        assertThat(a.observed.texts()).containsExactly("a-1", "a-2", "a-3");
        assertThat(a.counters.stale.sum()).isEqualTo(2);
        a.observed.assertAscendingAndOnce();
    }

    @Test
    void laggingReaderSlowsItsWriter() {
        TestServer a = startedServer();
        a.send(2000);

        until(() -> {
            log.messages().stream().filter(Append::isOpen).forEach(Append::confirm);
            return a.full.get() > 0 && log.messages().size() >= 32;
        });
        await().during(Duration.ofMillis(300)).until(() -> log.messages().size() == 32);
        assertThat(a.counters.unreadFull.sum()).isEqualTo(1);

        until(() -> {
            for (Append append : log.messages()) {
                if (append.isOpen()) append.confirm();
            }
            List<Append> all = log.messages();
            while (arrived < all.size()) all.get(arrived++).arrive();
            return a.knowsAllOutcomes();
        });
        assertThat(a.sent(TestServer.Outcome.ACCEPTED)).hasSize(2000);
    }

    private int arrived;

    @Test
    void messagesWaitForTheStartAndAreRejectedWhenTheLogIsLost() {
        log.holdHeartbeats();
        TestServer a = server(log, Clock.systemUTC());
        a.send(3);
        until(() -> !log.appends(EntryKind.HELLO).isEmpty());
        assertThat(a.partition.available()).isTrue();
        assertThat(a.sent().getFirst().outcome).isNotDone();

        log.become(RoomLog.State.DOWN);

        until(a::knowsAllOutcomes);
        assertThat(a.partition.available()).isFalse();
        assertThat(a.sent(TestServer.Outcome.REFUSED)).hasSize(3);
        log.become(RoomLog.State.UP);
        until(a.partition::available);
        assertThat(log.messages()).isEmpty();
    }

    @Test
    void blockedLogIsUnavailableAndKeepsEntriesInFlight() {
        TestServer a = startedServer();
        Append first = sendAlone(a);

        log.become(RoomLog.State.BLOCKED);
        until(() -> !a.partition.available());
        assertThat(a.send().outcome).isCompletedWithValue(TestServer.Outcome.REFUSED);
        first.arrive();
        first.confirm();
        until(() -> a.sent().getFirst().outcome.isDone());
        assertThat(a.sent(TestServer.Outcome.ACCEPTED)).hasSize(1);

        log.become(RoomLog.State.UP);
        until(a.partition::available);
        assertThat(log.messages()).hasSize(1);
    }

    @Test
    void senderWaitingForSpaceIsCalledOnceWhenTheLogIsLost() {
        TestServer a = startedServer();
        sendAlone(a);
        sendAlone(a);
        a.send(10);
        AtomicInteger calls = new AtomicInteger();
        a.partition.whenRoom(calls::incrementAndGet);

        log.become(RoomLog.State.DOWN);

        until(() -> calls.get() == 1);
        log.become(RoomLog.State.UP);
        until(a.partition::available);
        settle(a);
        assertThat(calls).hasValue(1);
    }

    @Test
    void secondHelloKeepsTheEpoch() {
        log.store(EntryBuilder.encodeEmpty(new EntryHeader(EntryKind.HELLO, 1000, 0, 99, 1, "another")));
        log.store(EntryBuilder.encodeEmpty(Samples.header(EntryKind.HEARTBEAT, 1000, 99, 2)));
        log.holdHeartbeats();
        TestServer a = server(log, Clock.systemUTC());
        until(() -> log.appends(EntryKind.HELLO).size() == 1);
        log.appends(EntryKind.HELLO).getFirst().confirm();

        until(() -> log.appends(EntryKind.HELLO).size() == 2);
        log.appends(EntryKind.HELLO).forEach(Append::arrive);

        until(a.started::isDone);
        assertThat(a.observed.entries())
                .allSatisfy(entry -> assertThat(entry.epoch()).isEqualTo(1000));
        // Further HELLOs may follow: no server has answered.
        assertThat(log.appends(EntryKind.HELLO).subList(0, 2))
                .allSatisfy(hello -> assertThat(hello.header.previousEpoch()).isZero());
    }

    /** Like a broker that lost the leader of a stream: the entries in flight are stored but not confirmed. */
    @Test
    void readBackUnconfirmedEntryBlocksNothing() {
        TestServer a = startedServer();
        for (int i = 0; i < 5; i++) sendAlone(a).arrive();
        until(a::knowsAllOutcomes);
        assertThat(a.sent(TestServer.Outcome.ACCEPTED)).hasSize(5);
        settle(a);
        assertThat(a.counters.unconfirmed.sum()).isZero();
        log.messages().forEach(Append::confirm);
        settle(a);
        assertThat(a.counters.unconfirmed.sum()).isZero();
    }

    @Test
    void lostEntriesAreRepublishedInOrderAfterALongSilence() {
        AtomicLong ahead = new AtomicLong();
        TestServer a = startedServer(() -> System.nanoTime() + ahead.get());
        Append first = sendAlone(a);
        Append second = sendAlone(a);
        a.send();
        ahead.addAndGet(SETTINGS.silence().toNanos());

        until(() -> log.messages().size() == 3);
        assertThat(a.counters.unanswered.sum()).isOne();
        log.messages().getLast().arrive();
        until(() -> log.messages().size() == 4);
        log.messages().getLast().arrive();
        until(() -> log.messages().size() == 5);
        log.messages().getLast().arrive();
        until(a::knowsAllOutcomes);
        assertThat(sequences(log.messages().subList(2, 4))).isEqualTo(sequences(List.of(first, second)));
        assertThat(a.observed.texts()).containsExactly("a-1", "a-2", "a-3");
    }

    /** A broker may confirm entries that it lost with a stream's leader; new entries would overtake them. */
    @Test
    void republishedEntryIsReadBackBeforeNewOnes() {
        TestServer a = startedServer();
        Append first = sendAlone(a);
        first.fail(LogUnavailable.Outcome.UNKNOWN);
        until(() -> log.messages().size() == 2);
        Append again = log.messages().getLast();
        again.confirm();
        a.send();
        a.passLoop();
        assertThat(log.messages()).hasSize(2);

        again.arrive();
        until(() -> log.messages().size() == 3);
        log.messages().getLast().arrive();

        until(a::knowsAllOutcomes);
        assertThat(a.sent(TestServer.Outcome.ACCEPTED)).hasSize(2);
        assertThat(a.observed.texts()).containsExactly("a-1", "a-2");
    }

    @Test
    void copyOfAnotherEpochDoesNotConfirmTheCurrentOne() {
        TestServer a = startedServer();
        Append first = sendAlone(a);
        long epoch = first.header.epoch();
        log.store(EntryBuilder.encodeEmpty(new EntryHeader(EntryKind.HELLO, epoch + 1, epoch, 99, 1, "another")));
        first.confirm();
        until(() -> log.messages().size() == 2);
        first.arrive();
        settle(a);

        log.messages().getLast().fail(LogUnavailable.Outcome.UNKNOWN);

        until(() -> log.messages().size() == 3);
        log.messages().getLast().arrive();
        until(a::knowsAllOutcomes);
        assertThat(a.sent(TestServer.Outcome.ACCEPTED)).hasSize(1);
    }

    /** Like a channel to a lost leader. */
    @Test
    void confirmedUnreadEntriesAreRepublishedInOrder() {
        AtomicLong ahead = new AtomicLong();
        TestServer a = startedServer(() -> System.nanoTime() + ahead.get());
        Append first = sendAlone(a);
        first.confirm();
        Append second = sendAlone(a);
        second.confirm();
        settle(a);
        ahead.addAndGet(SETTINGS.silence().toNanos());

        for (int published = 3; published <= 4; published++) {
            int expected = published;
            until(() -> log.messages().size() == expected);
            log.messages().getLast().arrive();
        }
        until(a::knowsAllOutcomes);
        assertThat(sequences(log.messages().subList(2, 4))).isEqualTo(sequences(List.of(first, second)));
        assertThat(a.counters.unanswered.sum()).isOne();
        assertThat(a.observed.texts()).containsExactly("a-1", "a-2");
    }

    /** Like a channel that has stopped confirming and would keep all its entries in memory. */
    @Test
    void readBackUnconfirmedEntryReconnects() {
        AtomicLong nanos = new AtomicLong();
        TestServer a = startedServer(nanos::get);
        Append first = sendAlone(a);
        first.arrive();
        until(() -> a.observed.texts().contains("a-1"));
        nanos.addAndGet(SETTINGS.silence().toNanos() - 1);
        settle(a);
        assertThat(a.counters.unanswered.sum()).isZero();

        nanos.addAndGet(1);
        until(() -> a.counters.unanswered.sum() == 1);
        first.confirm();
        nanos.addAndGet(SETTINGS.silence().toNanos() * 2);
        settle(a);
        assertThat(a.counters.unanswered.sum()).isOne();
    }

    /** Like a channel to a lost leader, from its first entry on. */
    @Test
    void unreadHelloReconnects() {
        AtomicLong nanos = new AtomicLong();
        log.holdHeartbeats();
        TestServer a = new TestServer("a", log, 0, SETTINGS, Clock.systemUTC(), nanos::get);
        servers.add(a);
        until(() -> !log.appends(EntryKind.HELLO).isEmpty());
        log.appends(EntryKind.HELLO).getFirst().confirm();
        settle(a);
        assertThat(a.counters.unanswered.sum()).isZero();

        // Its reader has received nothing either, and gets time to subscribe again.
        nanos.addAndGet(SETTINGS.silence().toNanos() * 2);
        until(() -> a.counters.unanswered.sum() == 1);
        until(() -> log.appends(EntryKind.HELLO).size() == 2);
        log.letSignsArrive();
        log.appends(EntryKind.HELLO).getLast().confirm();
        nanos.addAndGet(SETTINGS.heartbeat().toNanos());
        until(a.started::isDone);
        assertThat(a.counters.unanswered.sum()).isOne();
    }

    /** A server's HELLO follows all recent entries. */
    @Test
    void startWaitsWhileOlderEntriesAreRead() {
        TestServer other = startedServer();
        AtomicLong nanos = new AtomicLong();
        log.holdHeartbeats();
        int hellos = log.appends(EntryKind.HELLO).size();
        TestServer b = new TestServer("b", log, 0, SETTINGS, Clock.systemUTC(), nanos::get);
        servers.add(b);
        until(() -> log.appends(EntryKind.HELLO).size() > hellos);
        long passed = 0;
        while (passed < 3 * SETTINGS.silence().toNanos()) {
            readOneMoreOf(other, b);
            nanos.addAndGet(SETTINGS.silence().toNanos() - 1);
            passed += SETTINGS.silence().toNanos() - 1;
            readOneMoreOf(other, b);
            look(b);
            assertThat(b.counters.unanswered.sum()).isZero();
        }
        // All older entries would have been read by now: the HELLO is lost.
        nanos.addAndGet(2 * SETTINGS.silence().toNanos());
        readOneMoreOf(other, b);
        until(() -> b.counters.unanswered.sum() == 1);
    }

    private void readOneMoreOf(TestServer other, TestServer reader) {
        int before = reader.observed.texts().size();
        sendAlone(other).arrive();
        until(() -> reader.observed.texts().size() > before);
    }

    private static void look(TestServer server) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        server.partition.whenRoom(() -> {
            server.partition.look();
            done.complete(null);
        });
        done.orTimeout(10, TimeUnit.SECONDS).join();
    }

    @Test
    void unconfirmedHeartbeatsDoNotAccumulate() {
        TestServer a = startedServer();
        until(() -> !log.appends(EntryKind.HEARTBEAT).isEmpty());
        log.holdHeartbeats();
        int before = log.appends(EntryKind.HEARTBEAT).size();

        until(() -> log.appends(EntryKind.HEARTBEAT).size() == before + 1);
        await().during(SETTINGS.heartbeat().multipliedBy(2))
                .until(() -> log.appends(EntryKind.HEARTBEAT).size() == before + 1);
        log.appends(EntryKind.HEARTBEAT).getLast().confirm();
        until(() -> log.appends(EntryKind.HEARTBEAT).size() == before + 2);
        assertThat(a.partition.available()).isTrue();
    }

    @Test
    void closingReportsEveryOutcome() {
        TestServer a = startedServer();
        sendAlone(a);
        sendAlone(a);
        a.send(3);
        CompletableFuture<Void> drained = a.partition.drain();
        assertThat(drained).isNotDone();

        a.partition.close();

        drained.orTimeout(10, TimeUnit.SECONDS).join();
        assertThat(a.knowsAllOutcomes()).isTrue();
        assertThat(a.sent(TestServer.Outcome.UNKNOWN)).hasSize(2);
        assertThat(a.sent(TestServer.Outcome.REFUSED)).hasSize(3);
        assertThat(a.send().outcome).isCompletedWithValue(TestServer.Outcome.REFUSED);
    }

    @Test
    void lateServerAdoptsTheEpochAfterALostTail() {
        SteppedClock clock = new SteppedClock();
        long then = clock.millis() * 1000;
        try (InMemoryRoomLog memory = new InMemoryRoomLog(1, 1 << 20, clock)) {
            memory.append(0, EntryBuilder.encodeEmpty(Samples.header(EntryKind.HELLO, then, 99, 1)));
            memory.append(0, Samples.entry(then, 99, 2, Samples.message("r", "before")));
            memory.append(
                    0, EntryBuilder.encodeEmpty(new EntryHeader(EntryKind.HELLO, then + 500, then, 98, 1, "after")));
            for (int i = 0; i < 100; i++)
                memory.append(0, Samples.entry(then + 500, 98, 2 + i, Samples.message("r", "after")));
            for (int i = 0; i < 100; i++)
                memory.append(0, EntryBuilder.encodeEmpty(Samples.header(EntryKind.HELLO, then + 1000 + i, i, 1)));
            clock.step(SETTINGS.memory().plusSeconds(60));

            TestServer a = server(memory, clock);
            until(a.started::isDone);
            a.send();
            until(a::knowsAllOutcomes);

            assertThat(a.observed.entries().getLast().header().epoch()).isEqualTo(then + 500);
        }
    }

    @Test
    void firstHelloDecidesIfOnlyHellosAreLeft() {
        SteppedClock clock = new SteppedClock();
        long then = clock.millis() * 1000;
        try (InMemoryRoomLog memory = new InMemoryRoomLog(1, 1 << 20, clock)) {
            for (int i = 0; i < 100; i++)
                memory.append(0, EntryBuilder.encodeEmpty(Samples.header(EntryKind.HELLO, then + i, i, 1)));
            memory.release(0, 9);
            clock.step(SETTINGS.memory().plusSeconds(60));

            TestServer a = server(memory, clock);
            TestServer b = server(memory, clock);
            until(() -> a.started.isDone() && b.started.isDone());
            a.send();
            b.send();
            until(() -> a.knowsAllOutcomes() && b.knowsAllOutcomes());

            assertThat(a.observed.entries().getLast().header().epoch()).isEqualTo(then + 10);
            assertThat(b.observed.entries().getLast().header().epoch()).isEqualTo(then + 10);
        }
    }

    @Test
    void epochFromAClockBehindIsRaisedAboveTheOldLog() {
        TestServer a = startedServer();
        acceptAlone(a);
        long highest = a.observed.highest();

        log.replace(List.of(
                EntryBuilder.encodeEmpty(Samples.header(EntryKind.HELLO, 1000, 99, 1)),
                EntryBuilder.encodeEmpty(Samples.header(EntryKind.HEARTBEAT, 1000, 99, 2))));
        log.endTails();

        until(() -> !a.observed.gaps().isEmpty());
        until(() -> a.partition.available() && a.observed.entries().getLast().epoch() > 1000);
        Append next = sendAlone(a);
        assertThat(Position.of(next.header.epoch(), 0, 0)).isGreaterThan(highest);
    }

    @Test
    void readerOfALostTailContinuesInANewLogWithoutEpoch() {
        TestServer a = startedServer();
        Append first = acceptAlone(a);
        log.holdHeartbeats();

        log.replace(entriesForTheLogBefore(first));
        log.endTails();
        until(() -> a.counters.stale.sum() == 50);
        log.endTails();
        log.store(EntryBuilder.encodeEmpty(Samples.header(EntryKind.HELLO, first.header.epoch() + 1_000_000, 99, 1)));

        until(() -> a.observed.entries().getLast().epoch() > first.header.epoch());
        assertThat(a.observed.gaps())
                .singleElement()
                .satisfies(gap -> assertThat(gap.reason()).isEqualTo(LogGap.Reason.REPLACED));
    }

    @Test
    void helloFollowsAReplacementAsSoonAsTheLogIsUp() {
        TestServer a = startedServer();
        Append first = acceptAlone(a);
        long highest = a.observed.highest();

        log.become(RoomLog.State.DOWN);
        log.replace(entriesForTheLogBefore(first));
        log.endTails();
        until(() -> a.counters.stale.sum() == 50);
        log.become(RoomLog.State.UP);

        until(a.partition::available);
        assertThat(Position.of(sendAlone(a).header.epoch(), 0, 0)).isGreaterThan(highest);
    }

    private Append acceptAlone(TestServer server) {
        Append append = sendAlone(server);
        append.arrive();
        append.confirm();
        until(server::knowsAllOutcomes);
        return append;
    }

    /** Entries in flight or republished when the log was replaced are at the start of the new one. */
    private static List<byte[]> entriesForTheLogBefore(Append own) {
        List<byte[]> entries = new ArrayList<>();
        entries.add(own.bytes);
        for (int i = 1; i < 50; i++)
            entries.add(EntryBuilder.encodeEmpty(Samples.header(EntryKind.HEARTBEAT, own.header.epoch(), 99, i)));
        return entries;
    }

    private static byte[] stored(long position, long epoch) {
        return new StoredThrough(position).encode(Samples.header(EntryKind.STORED, epoch, 99, position));
    }

    @Test
    void storedPositionBeyondTheEndRaisesTheEpoch() {
        TestServer a = startedServer();
        Append first = sendAlone(a);
        long epoch = first.header.epoch();
        long lost = Position.of(epoch, 1_000_000, 3);

        log.store(stored(lost, epoch));

        until(() -> a.partition.available() && a.observed.entries().getLast().epoch() > epoch);
        assertThat(log.appends(EntryKind.HELLO).getLast().header.previousEpoch())
                .isEqualTo(epoch);
        first.arrive();
        first.confirm();
        until(() -> log.messages().size() == 2);
        Append again = log.messages().getLast();
        again.arrive();
        again.confirm();
        until(a::knowsAllOutcomes);
        assertThat(a.sent(TestServer.Outcome.ACCEPTED)).hasSize(1);
        assertThat(a.observed.messages())
                .singleElement()
                .satisfies(message -> assertThat(message.position()).isGreaterThan(lost));
        assertThat(a.observed.gaps()).singleElement().satisfies(gap -> {
            assertThat(gap.reason()).isEqualTo(LogGap.Reason.LOST_EARLIER);
            assertThat(gap.from()).isLessThan(Position.of(epoch, 1_000_000, 0));
            assertThat(gap.to())
                    .isGreaterThan(lost)
                    .isLessThan(a.observed.messages().getFirst().position());
        });
    }

    @Test
    void storedPositionBelowTheEndChangesNothing() {
        TestServer a = startedServer();
        Append first = acceptAlone(a);
        int hellos = log.appends(EntryKind.HELLO).size();

        log.store(stored(a.observed.highest(), first.header.epoch()));
        log.store(stored(Long.MAX_VALUE, first.header.epoch())); // no epoch could be above that
        Append next = sendAlone(a);
        next.arrive();
        next.confirm();
        until(a::knowsAllOutcomes);

        assertThat(next.header.epoch()).isEqualTo(first.header.epoch());
        assertThat(log.appends(EntryKind.HELLO)).hasSize(hellos);
        assertThat(a.observed.gaps()).isEmpty();
    }

    /** Republished, it would follow a message that was sent after it. */
    @Test
    void overtakenEntryIsRejected() {
        TestServer a = startedServer();
        Append nacked = sendAlone(a);
        Append taken = sendAlone(a);
        a.send();
        taken.arrive();
        nacked.fail(Outcome.UNKNOWN);
        taken.fail(Outcome.UNKNOWN);

        until(() -> log.messages().size() == 3);

        assertThat(LogEntry.parse(log.messages().getLast().bytes, 1, 0).segments())
                .singleElement()
                .satisfies(segment -> assertThat(Samples.text(segment, 0)).isEqualTo("a-3"));
        log.messages().getLast().arrive();
        until(a::knowsAllOutcomes);
        assertThat(a.sent(TestServer.Outcome.REFUSED))
                .extracting(sent -> sent.text)
                .containsExactly("a-1");
        assertThat(a.observed.texts()).containsExactly("a-2", "a-3");
        assertThat(a.counters.overtaken.sum()).isEqualTo(1);
        assertThat(a.reportedTwice).hasValue(0);
    }

    @Test
    void fenceIsReadBackBeforeRepublishing() {
        TestServer a = startedServer();
        Append nacked = sendAlone(a);
        Append taken = sendAlone(a);
        log.holdHeartbeats();
        int before = log.appends(EntryKind.HEARTBEAT).size();
        nacked.fail(Outcome.UNKNOWN);
        taken.fail(Outcome.UNKNOWN);

        until(() -> log.appends(EntryKind.HEARTBEAT).size() > before);
        Append question = log.appends(EntryKind.HEARTBEAT).get(before);
        question.confirm();
        settle(a);
        assertThat(log.messages()).as("not before the fence is read back").hasSize(2);
        taken.arrive();
        question.arrive();

        until(a::knowsAllOutcomes);
        assertThat(a.sent(TestServer.Outcome.ACCEPTED))
                .extracting(sent -> sent.text)
                .containsExactly("a-2");
        settle(a);
        assertThat(log.messages()).hasSize(2);
    }

    /** Other readers may have read it. */
    @Test
    void entryPossiblyInAGapHasUnknownOutcome() {
        TestServer a = startedServer();
        sendAlone(a);
        Append taken = sendAlone(a);
        log.store(new byte[] {1, 2, 3});
        log.truncate(log.end());
        log.endTails();
        taken.arrive();

        until(a::knowsAllOutcomes);

        assertThat(a.sent(TestServer.Outcome.UNKNOWN))
                .extracting(sent -> sent.text)
                .containsExactly("a-1");
        assertThat(a.sent(TestServer.Outcome.ACCEPTED)).hasSize(1);
    }

    @Test
    void probedLogGetsOnlyRepublishedEntries() {
        TestServer a = startedServer();
        Append first = sendAlone(a);
        log.become(RoomLog.State.DOWN);
        first.fail(Outcome.UNKNOWN);
        until(() -> !a.partition.available());

        log.become(RoomLog.State.PROBING);

        until(() -> log.messages().size() == 2);
        assertThat(log.messages().getLast().header.sequence()).isEqualTo(first.header.sequence());
        assertThat(a.send().outcome).isCompletedWithValue(TestServer.Outcome.REFUSED);
        log.messages().getLast().arrive();
        log.messages().getLast().confirm();
        until(() -> a.sent().getFirst().outcome.isDone());
        assertThat(a.sent(TestServer.Outcome.ACCEPTED)).hasSize(1);
        assertThat(a.partition.available()).isFalse();
        log.become(RoomLog.State.UP);
        until(a.partition::available);
        assertThat(log.messages()).hasSize(2);
    }

    @Test
    void idleProbedLogGetsConsecutiveHeartbeats() {
        TestServer a = startedServer();
        log.become(RoomLog.State.DOWN);
        until(() -> !a.partition.available());
        int before = log.appends(EntryKind.HEARTBEAT).size();
        long begun = System.nanoTime();

        log.become(RoomLog.State.PROBING);
        until(() -> log.appends(EntryKind.HEARTBEAT).size() >= before + 10);
        log.become(RoomLog.State.UP);

        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isLessThan(SETTINGS.heartbeat().multipliedBy(10));
        until(a.partition::available);
    }

    @Test
    void startDuringProbingWaits() {
        log.become(RoomLog.State.PROBING);
        TestServer a = server(log, Clock.systemUTC());
        TestServer.Sent join = a.send();
        until(a.started::isDone);
        until(() -> log.appends(EntryKind.HEARTBEAT).size() >= 3);
        assertThat(join.outcome).isNotDone();
        assertThat(log.messages()).isEmpty();

        log.become(RoomLog.State.UP);

        until(() -> log.messages().size() == 1);
        log.messages().getLast().arrive();
        until(a::knowsAllOutcomes);
        assertThat(a.sent(TestServer.Outcome.ACCEPTED)).hasSize(1);
    }

    /** The clock may be set by an hour or a day; deadlines do not depend on it. */
    @Test
    void changedClockMakesNothingOverdue() {
        SteppedClock clock = new SteppedClock();
        TestServer a = server(log, clock);
        until(a.started::isDone);
        until(a.partition::available);
        Append first = sendAlone(a);
        sendAlone(a);
        a.send();

        for (Duration step : List.of(Duration.ofHours(1), Duration.ofDays(-1), Duration.ofDays(1))) {
            clock.step(step);
            int heartbeats = log.appends(EntryKind.HEARTBEAT).size();
            until(() -> log.appends(EntryKind.HEARTBEAT).size() > heartbeats);
        }

        assertThat(a.sent()).noneMatch(sent -> sent.outcome.isDone());
        assertThat(a.counters.resubscribed.sum()).isZero();
        first.arrive();
        first.confirm();
        until(() -> a.sent().getFirst().outcome.isDone());
        assertThat(a.sent(TestServer.Outcome.ACCEPTED)).hasSize(1);
    }

    @Test
    void heartbeatsContinueWhenTheOwnerThrows() {
        AtomicInteger failures = new AtomicInteger();
        LogPartition.Owner<String> failing = new LogPartition.Owner<>() {
            @Override
            public void entry(LogEntry entry, @org.jspecify.annotations.Nullable List<String> own) {
                if (entry.header().kind() == EntryKind.HEARTBEAT) {
                    failures.incrementAndGet();
                    throw new IllegalStateException("on purpose");
                }
            }

            @Override
            public void gap(LogGap gap) {}

            @Override
            public void refused(List<String> messages) {}

            @Override
            public void outcomeUnknown(List<String> messages) {}

            @Override
            public void started() {}
        };
        var loop = PartitionLoop.named("failing");
        try (LogPartition<String> partition =
                new LogPartition<>(log, 0, "a", 7, SETTINGS, Clock.systemUTC(), loop, new LogCounters(), failing)) {
            partition.start();
            until(() -> failures.get() >= 3);
        } finally {
            loop.shutdown();
        }
    }
}

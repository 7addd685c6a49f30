package chat.log;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.breaker.BreakerSettings;
import chat.log.breaker.BreakingRoomLog;
import chat.log.breaker.LogBreaker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Simulates ten minutes of messages and random faults of the log, by seed. Two servers write into one partition;
 * neither may stall, accepted messages are in the log once and in order, and rejected ones are not. More seeds: {@code
 * -Dliveness.seeds=1000}, one of them: {@code -Dliveness.first=17 -Dliveness.seeds=1}.
 */
class LivenessTest {
    private static final Duration DURATION = Duration.ofMinutes(10);
    private static final Duration STEP = Duration.ofMillis(50);
    /** Less than the tick interval, because a tick would hide a missing wake-up. */
    private static final Duration CALM_STANDSTILL = Duration.ofMillis(200);

    private static final Duration STANDSTILL = Duration.ofSeconds(1);
    /** Limit of scheduled steps of both servers, the broker and the senders. */
    private static final int MAX_STEPS = 2_000;

    private VirtualTime time = new VirtualTime(new Random());

    static LongStream seeds() {
        long first = Long.getLong("liveness.first", 1);
        return LongStream.range(first, first + Long.getLong("liveness.seeds", 4));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void randomFaultsNeitherStallNorLoseMessages(long seed) {
        for (Server server : run(seed, true, STANDSTILL)) {
            assertThat(server.outcomes).containsKeys(Outcome.ACCEPTED, Outcome.REFUSED);
            assertThat(server.counters.publishedAgain.sum()).isPositive();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void idlePartitionKeepsItsState(long seed) {
        for (Server server : run(seed, false, CALM_STANDSTILL)) {
            assertThat(server.outcomes).containsOnlyKeys(Outcome.ACCEPTED);
            assertThat(server.counters.resubscribed.sum()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void duplicatesAreDroppedAndCounted(long seed) {
        LogCounters counters = new LogCounters();
        List<Server> servers = run(seed, false, CALM_STANDSTILL, 10, counters);

        long copies = servers.stream().mapToLong(server -> server.log.copies()).sum();
        assertThat(copies).isGreaterThan(1_000);
        assertThat(counters.repeated.sum()).isEqualTo(copies);
        for (Server server : servers) assertThat(server.counters.repeated.sum()).isEqualTo(copies);
    }

    /** A replica that receives nothing from the leader, with or without the last entries read before. */
    @ParameterizedTest
    @ValueSource(ints = {0, 50})
    void serverOnAStalledReplicaReadsFromAnother(int lag) {
        Random random = new Random(lag);
        VirtualTime time = new VirtualTime(random);
        SimulatedLog.Broker broker = new SimulatedLog.Broker(time, random);
        Server a = new Server("a", time, broker, random);
        Server b = new Server("b", time, broker, random);
        a.startSending();
        b.startSending();
        time.pass(Duration.ofSeconds(20));
        assertThat(a.accepted()).isPositive();

        a.log.readReplicaThatLags(lag);
        time.pass(Duration.ofSeconds(50));
        assertThat(a.log.elsewhere()).isZero();
        int accepted = a.accepted();
        time.pass(Duration.ofSeconds(50));

        assertThat(a.log.elsewhere()).isOne();
        assertThat(a.accepted()).isGreaterThan(accepted);
        assertThat(a.gaps).isEmpty();
        assertThat(a.reportedTwice).isEmpty();
        assertThat(b.log.elsewhere()).isZero();
    }

    @Test
    void serverStartingOnAStalledReplicaReadsFromAnother() {
        Random random = new Random(1);
        VirtualTime time = new VirtualTime(random);
        SimulatedLog.Broker broker = new SimulatedLog.Broker(time, random);
        Server before = new Server("before", time, broker, random);
        before.startSending();
        time.pass(Duration.ofSeconds(20));

        Server late = new Server("late", time, broker, random);
        late.log.readReplicaThatLags(10);
        late.startSending();
        time.pass(Duration.ofSeconds(100));

        assertThat(late.log.elsewhere()).isOne();
        assertThat(late.accepted()).isPositive();
        assertThat(before.gaps).isEmpty();
    }

    /** The channel confirms no entry, although all are stored. */
    @Test
    void unconfirmingChannelRecoversWhenTheBreakerProbes() {
        Server server = sendingServer(1);
        server.log.muteChannel();
        server.log.fail(BreakerSettings.DEFAULT.failures());
        assertThat(server.behindBreaker.state()).isEqualTo(RoomLog.State.DOWN);

        time.pass(BreakerSettings.DEFAULT.open().plusSeconds(1));

        assertThat(server.behindBreaker.state()).isEqualTo(RoomLog.State.UP);
    }

    /** Early enough to lose no message, and without a reconnect, which would reject messages. */
    @ParameterizedTest
    @MethodSource("seeds")
    void entriesOfADeadChannelAreRepublishedOnAnother(long seed) {
        Server server = sendingServer(seed);
        server.log.swallowWhatIsPublished();
        time.pass(Duration.ofSeconds(3));
        int accepted = server.accepted();

        time.pass(Duration.ofSeconds(4));

        assertThat(server.log.renewals()).isOne();
        assertThat(server.log.unanswered()).isZero();
        assertThat(server.accepted()).isGreaterThan(accepted);
        assertThat(server.outcomes).containsOnlyKeys(Outcome.ACCEPTED);
    }

    @Test
    void deadChannelIsReplacedWhileTheBreakerIsOpen() {
        Server server = sendingServer(1);
        server.log.swallowWhatIsPublished();
        time.pass(Duration.ofSeconds(1));
        server.log.fail(BreakerSettings.DEFAULT.failures());
        int accepted = server.accepted();

        time.pass(Duration.ofSeconds(10));

        assertThat(server.log.renewals()).isOne();
        assertThat(server.behindBreaker.state()).isEqualTo(RoomLog.State.UP);
        assertThat(server.accepted()).isGreaterThan(accepted);
    }

    /** Like a paused broker that resumes with all entries. */
    @Test
    void serverReconnectsIfNoOtherChannelOpens() {
        Server server = sendingServer(1);
        server.log.swallowWhatIsPublished();
        server.log.openNoChannels();

        time.pass(LogSettings.DEFAULT.silence().minusSeconds(1));
        assertThat(server.log.unanswered()).isZero();
        assertThat(server.outcomes).containsOnlyKeys(Outcome.ACCEPTED);

        time.pass(Duration.ofSeconds(10));
        assertThat(server.log.unanswered()).isOne();
        assertThat(server.log.renewals()).isZero();
    }

    /** One hanging subscription must not close the connection of all partitions. */
    @ParameterizedTest
    @MethodSource("seeds")
    void hangingReaderResubscribesBeforeTheWriterReconnects(long seed) {
        Server server = sendingServer(seed);
        server.log.silenceTails();
        int accepted = server.accepted();

        time.pass(LogSettings.DEFAULT.silence().plusSeconds(10));

        assertThat(server.counters.resubscribed.sum()).isOne();
        assertThat(server.log.unanswered()).isZero();
        assertThat(server.accepted()).isGreaterThan(accepted);
        assertThat(server.outcomes).doesNotContainKey(Outcome.UNKNOWN);
    }

    /** Like a virtual machine that is migrated or suspended. */
    @ParameterizedTest
    @ValueSource(ints = {16, 40})
    void pauseOfTheServerIsNoFaultOfTheLog(int seconds) {
        Server server = sendingServer(1);
        while (server.partition.readLag().isZero()) time.pass(Duration.ofMillis(1));

        time.standStill(Duration.ofSeconds(seconds));
        time.pass(Duration.ofSeconds(20));

        assertThat(server.log.unanswered()).isZero();
        assertThat(server.outcomes).containsOnlyKeys(Outcome.ACCEPTED);
    }

    private Server sendingServer(long seed) {
        Random random = new Random(seed);
        time = new VirtualTime(random);
        Server server = new Server("a", time, new SimulatedLog.Broker(time, random), random);
        server.startSending();
        time.pass(Duration.ofSeconds(20));
        return server;
    }

    private static List<Server> run(long seed, boolean troubled, Duration standstill) {
        return run(seed, troubled, standstill, 0, new LogCounters());
    }

    /**
     * @param copyOneIn duplicates one entry in this many; 0: none
     * @param counters of the reader without a server
     */
    private static List<Server> run(
            long seed, boolean troubled, Duration standstill, int copyOneIn, LogCounters counters) {
        Random random = new Random(seed);
        VirtualTime time = new VirtualTime(random);
        SimulatedLog.Broker broker = new SimulatedLog.Broker(time, random);
        List<Server> servers = List.of(new Server("a", time, broker, random), new Server("b", time, broker, random));
        List<SimulatedLog> logs = servers.stream().map(server -> server.log).toList();
        Observed witness = new Observed();
        logs.forEach(log -> log.copy(copyOneIn));
        try (LogReader reader = witness(witness, time, broker, counters)) {
            reader.start();
            Trouble trouble = new Trouble(time, random, broker, logs);

            servers.forEach(Server::startSending);
            if (troubled) trouble.begin();
            for (Duration passed = Duration.ZERO; passed.compareTo(DURATION) < 0; passed = passed.plus(STEP)) {
                time.pass(STEP);
                for (Server server : servers) server.checkThatItMoves(standstill);
                assertThat(time.waitingSteps()).as("waiting steps").isLessThan(MAX_STEPS);
            }
            trouble.end();
            servers.forEach(Server::stopSending);
            time.pass(Duration.ofSeconds(40));
        }

        Map<UUID, Long> places = new HashMap<>();
        witness.messages().forEach(message -> places.put(message.id(), message.position()));
        witness.assertAscendingAndOnce();
        assertThat(witness.gaps()).isEmpty();
        for (Server server : servers) server.judge(places);
        return servers;
    }

    /** Like the consumer: reads all entries without faults and writes none. */
    private static LogReader witness(
            Observed observed, VirtualTime time, SimulatedLog.Broker broker, LogCounters counters) {
        return new LogReader(
                new SimulatedLog(broker),
                0,
                new LogReader.Begin.Beginning(),
                LogSettings.DEFAULT,
                time::nanoTime,
                time.thread(),
                0,
                counters,
                observed);
    }

    private enum Outcome {
        ACCEPTED,
        REFUSED,
        UNKNOWN
    }

    private static final class Sent {
        final UUID id;

        @Nullable
        Outcome outcome;

        Sent(Random random) {
            this.id = new UUID(random.nextLong(), random.nextLong());
        }
    }

    /** A server whose senders wait for space. */
    private static final class Server implements LogPartition.Owner<Sent> {
        final SimulatedLog log;
        private final String name;
        private final VirtualTime time;
        private final Random random;
        private final BreakingRoomLog behindBreaker;
        private final LogPartition<Sent> partition;
        private final LogCounters counters = new LogCounters();
        private final List<Sent> sent = new ArrayList<>();
        private final Map<Outcome, Integer> outcomes = new HashMap<>();
        // Asserted afterwards, because the loop of a partition catches exceptions of its steps.
        private final List<UUID> reportedTwice = new ArrayList<>();
        private final List<LogGap> gaps = new ArrayList<>();
        private boolean sends;
        private int open;
        private long movedNanos;

        Server(String name, VirtualTime time, SimulatedLog.Broker broker, Random random) {
            this.name = name;
            this.time = time;
            this.random = random;
            this.log = new SimulatedLog(broker);
            LogBreaker breaker = new LogBreaker(BreakerSettings.DEFAULT, time::nanoTime);
            this.behindBreaker = new BreakingRoomLog(log, breaker);
            this.partition = new LogPartition<>(
                    behindBreaker,
                    0,
                    name,
                    random.nextLong(),
                    LogSettings.DEFAULT,
                    time.clock(),
                    time::nanoTime,
                    time.thread(),
                    counters,
                    this);
            partition.start();
        }

        void startSending() {
            sends = true;
            next();
        }

        void stopSending() {
            sends = false;
        }

        /** Sends single messages and occasional bursts. */
        private void next() {
            if (sends) send(random.nextInt(10) == 0 ? 30 : 1);
        }

        private void send(int count) {
            for (int i = 0; i < count; i++) {
                Sent message = new Sent(random);
                if (!offer(message)) {
                    int left = count - i;
                    partition.whenRoom(() -> send(left));
                    return;
                }
            }
            time.in(Duration.ofMillis(random.nextInt(100)), this::next);
        }

        private boolean offer(Sent message) {
            OutgoingMessage outgoing = Samples.message("room", message.id, Samples.IPV4, "42", "x");
            LogPartition.Offer offer = partition.offer(outgoing, message);
            if (offer == LogPartition.Offer.FULL) return false;
            if (open++ == 0) movedNanos = time.nanoTime();
            sent.add(message);
            if (offer == LogPartition.Offer.UNAVAILABLE) report(List.of(message), Outcome.REFUSED);
            return true;
        }

        private void report(List<Sent> messages, Outcome outcome) {
            for (Sent message : messages) {
                if (message.outcome != null) reportedTwice.add(message.id);
                message.outcome = outcome;
                outcomes.merge(outcome, 1, Integer::sum);
            }
            open -= messages.size();
            movedNanos = time.nanoTime();
        }

        int accepted() {
            return outcomes.getOrDefault(Outcome.ACCEPTED, 0);
        }

        void checkThatItMoves(Duration standstill) {
            if (open == 0 || !log.isWell() || behindBreaker.state() != RoomLog.State.UP) movedNanos = time.nanoTime();
            assertThat(time.nanoTime() - movedNanos)
                    .as("nanoseconds that %s stalls with %d messages", name, open)
                    .isLessThanOrEqualTo(standstill.toNanos());
        }

        void judge(Map<UUID, Long> places) {
            assertThat(reportedTwice).isEmpty();
            assertThat(gaps).isEmpty();
            long before = -1;
            Set<UUID> once = new HashSet<>();
            for (Sent message : sent) {
                assertThat(message.outcome).as("outcome of a message").isNotNull();
                assertThat(once.add(message.id)).isTrue();
                long place = places.getOrDefault(message.id, -1L);
                if (message.outcome == Outcome.REFUSED)
                    assertThat(place).as("index of a rejected message").isNegative();
                if (message.outcome != Outcome.ACCEPTED) continue;
                assertThat(place).as("index of an accepted message").isGreaterThan(before);
                before = place;
            }
            assertThat(accepted()).isGreaterThan(1_000);
        }

        @Override
        public void entry(LogEntry entry, @Nullable List<Sent> own) {
            if (own != null) report(own, Outcome.ACCEPTED);
        }

        @Override
        public void gap(LogGap gap) {
            gaps.add(gap);
        }

        @Override
        public void refused(List<Sent> messages) {
            report(messages, Outcome.REFUSED);
        }

        @Override
        public void outcomeUnknown(List<Sent> messages) {
            report(messages, Outcome.UNKNOWN);
        }

        @Override
        public void started() {}
    }

    /** Schedules the faults. */
    private static final class Trouble {
        private final VirtualTime time;
        private final Random random;
        private final SimulatedLog.Broker broker;
        private final List<SimulatedLog> logs;
        private boolean over;

        Trouble(VirtualTime time, Random random, SimulatedLog.Broker broker, List<SimulatedLog> logs) {
            this.time = time;
            this.random = random;
            this.broker = broker;
            this.logs = logs;
        }

        void begin() {
            time.in(Duration.ofMillis(random.nextInt(6_000)), this::happen);
        }

        private void happen() {
            if (over) return;
            SimulatedLog log = logs.get(random.nextInt(logs.size()));
            Duration lasting = Duration.ofMillis(100 + random.nextInt(5_000));
            switch (random.nextInt(11)) {
                case 0 -> log.cutPublishing();
                case 1 -> log.cutReading();
                case 2 -> log.cancelTails();
                case 3 -> log.silenceTails();
                case 4 -> lasting(lasting, () -> log.block(true), () -> log.block(false));
                case 5 -> lasting(lasting, () -> log.refuse(5, 0), () -> log.refuse(0, 0));
                case 6 -> lasting(lasting, () -> log.refuse(0, 3), () -> log.refuse(0, 0));
                case 7 -> {
                    Duration slow = Duration.ofMillis(50 + random.nextInt(700));
                    lasting(lasting, () -> log.confirmWithin(slow), () -> log.confirmWithin(Duration.ofMillis(50)));
                }
                case 8 -> lasting(lasting, () -> log.forgetConfirms(true), () -> log.forgetConfirms(false));
                case 9 ->
                    // Some last longer than the silence after which readers subscribe again.
                    lasting(
                            lasting.multipliedBy(4),
                            () -> log.readReplicaThatLags(random.nextInt(100)),
                            log::replicaCatchesUp);
                default -> lasting(lasting, () -> SimulatedLog.stop(broker, logs), () -> SimulatedLog.start(broker));
            }
            begin();
        }

        private void lasting(Duration time, Runnable begin, Runnable end) {
            begin.run();
            this.time.in(time, end);
        }

        void end() {
            over = true;
        }
    }
}

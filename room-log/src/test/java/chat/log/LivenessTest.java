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
 * Ten minutes of nothing but messages, and of everything that can happen to a log, by seed: two servers write into one partition and nobody ever
 * stands still, what was accepted stands in the log once and in its order, and what was refused does not. More seeds:
 * {@code -Dliveness.seeds=1000}, one of them: {@code -Dliveness.first=17 -Dliveness.seeds=1}.
 */
class LivenessTest {
    private static final Duration DURATION = Duration.ofMinutes(10);
    private static final Duration STEP = Duration.ofMillis(50);
    /** Less than the time between two ticks, which would hide that somebody was not woken. */
    private static final Duration CALM_STANDSTILL = Duration.ofMillis(200);

    private static final Duration STANDSTILL = Duration.ofSeconds(1);
    /** All that may be due at any time, for both servers, the broker and those who speak. */
    private static final int MAX_STEPS = 2_000;

    private VirtualTime time = new VirtualTime(new Random());

    static LongStream seeds() {
        long first = Long.getLong("liveness.first", 1);
        return LongStream.range(first, first + Long.getLong("liveness.seeds", 4));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void nothingStandsStillAndNothingIsLostWhateverHappens(long seed) {
        for (Server server : run(seed, true, STANDSTILL)) {
            assertThat(server.told).containsKeys(Told.ACCEPTED, Told.REFUSED);
            assertThat(server.counters.publishedAgain.sum()).isPositive();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void nobodyIsForgottenWhileNothingHappens(long seed) {
        for (Server server : run(seed, false, CALM_STANDSTILL)) {
            assertThat(server.told).containsOnlyKeys(Told.ACCEPTED);
            assertThat(server.counters.resubscribed.sum()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void copiesAreDroppedAndCounted(long seed) {
        LogCounters counters = new LogCounters();
        List<Server> servers = run(seed, false, CALM_STANDSTILL, 10, counters);

        long copies = servers.stream().mapToLong(server -> server.log.copies()).sum();
        assertThat(copies).isGreaterThan(1_000);
        assertThat(counters.repeated.sum()).isEqualTo(copies);
        for (Server server : servers) assertThat(server.counters.repeated.sum()).isEqualTo(copies);
    }

    /** Of a node that gets nothing from the others: with all that was read before, or without the last of it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 50})
    void aServerWhoseReplicaStandsStillReadsElsewhere(int lag) {
        Random random = new Random(lag);
        VirtualTime time = new VirtualTime(random);
        SimulatedLog.Broker broker = new SimulatedLog.Broker(time, random);
        Server a = new Server("a", time, broker, random);
        Server b = new Server("b", time, broker, random);
        a.speak();
        b.speak();
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
        assertThat(a.toldTwice).isEmpty();
        assertThat(b.log.elsewhere()).isZero();
    }

    @Test
    void aServerThatStartsAtAReplicaThatStandsStillReadsElsewhere() {
        Random random = new Random(1);
        VirtualTime time = new VirtualTime(random);
        SimulatedLog.Broker broker = new SimulatedLog.Broker(time, random);
        Server before = new Server("before", time, broker, random);
        before.speak();
        time.pass(Duration.ofSeconds(20));

        Server late = new Server("late", time, broker, random);
        late.log.readReplicaThatLags(10);
        late.speak();
        time.pass(Duration.ofSeconds(100));

        assertThat(late.log.elsewhere()).isOne();
        assertThat(late.accepted()).isPositive();
        assertThat(before.gaps).isEmpty();
    }

    /** Such a channel confirms nothing of what it writes, though all of it is read. */
    @Test
    void aServerWhoseChannelConfirmsNothingSpeaksAgainAsSoonAsItsBreakerTriesIt() {
        Server server = speaking(1);
        server.log.muteChannel();
        server.log.fail(BreakerSettings.DEFAULT.failures());
        assertThat(server.behindBreaker.state()).isEqualTo(RoomLog.State.DOWN);

        time.pass(BreakerSettings.DEFAULT.open().plusSeconds(1));

        assertThat(server.behindBreaker.state()).isEqualTo(RoomLog.State.UP);
    }

    /** Early enough to give up no message, and without a reconnect, which would refuse messages. */
    @ParameterizedTest
    @MethodSource("seeds")
    void aServerWhoseChannelWritesNothingPublishesAgainOnAnotherChannel(long seed) {
        Server server = speaking(seed);
        server.log.swallowWhatIsPublished();
        time.pass(Duration.ofSeconds(3));
        int accepted = server.accepted();

        time.pass(Duration.ofSeconds(4));

        assertThat(server.log.renewals()).isOne();
        assertThat(server.log.unanswered()).isZero();
        assertThat(server.accepted()).isGreaterThan(accepted);
        assertThat(server.told).containsOnlyKeys(Told.ACCEPTED);
    }

    @Test
    void aServerWhoseChannelWritesNothingSpeaksAgainThoughItsBreakerIsOpen() {
        Server server = speaking(1);
        server.log.swallowWhatIsPublished();
        time.pass(Duration.ofSeconds(1));
        server.log.fail(BreakerSettings.DEFAULT.failures());
        int accepted = server.accepted();

        time.pass(Duration.ofSeconds(10));

        assertThat(server.log.renewals()).isOne();
        assertThat(server.behindBreaker.state()).isEqualTo(RoomLog.State.UP);
        assertThat(server.accepted()).isGreaterThan(accepted);
    }

    /** As a paused broker, which comes back with every entry. */
    @Test
    void aServerWhoseLogOpensNoOtherChannelConnectsAnewAfterALongSilence() {
        Server server = speaking(1);
        server.log.swallowWhatIsPublished();
        server.log.openNoChannels();

        time.pass(LogSettings.DEFAULT.silence().minusSeconds(1));
        assertThat(server.log.unanswered()).isZero();
        assertThat(server.told).containsOnlyKeys(Told.ACCEPTED);

        time.pass(Duration.ofSeconds(10));
        assertThat(server.log.unanswered()).isOne();
        assertThat(server.log.renewals()).isZero();
    }

    /** One subscription that hangs is no reason to take the connection from all partitions. */
    @ParameterizedTest
    @MethodSource("seeds")
    void aReaderThatHangsSubscribesAnewBeforeTheWriterConnectsAnew(long seed) {
        Server server = speaking(seed);
        server.log.silenceTails();
        int accepted = server.accepted();

        time.pass(LogSettings.DEFAULT.silence().plusSeconds(10));

        assertThat(server.counters.resubscribed.sum()).isOne();
        assertThat(server.log.unanswered()).isZero();
        assertThat(server.accepted()).isGreaterThan(accepted);
        assertThat(server.told).doesNotContainKey(Told.UNKNOWN);
    }

    /** As in a machine that is moved, or stopped. */
    @ParameterizedTest
    @ValueSource(ints = {16, 40})
    void aPauseOfTheWholeServerIsNotHeldAgainstTheLog(int seconds) {
        Server server = speaking(1);
        while (server.partition.readLag().isZero()) time.pass(Duration.ofMillis(1));

        time.standStill(Duration.ofSeconds(seconds));
        time.pass(Duration.ofSeconds(20));

        assertThat(server.log.unanswered()).isZero();
        assertThat(server.told).containsOnlyKeys(Told.ACCEPTED);
    }

    private Server speaking(long seed) {
        Random random = new Random(seed);
        time = new VirtualTime(random);
        Server server = new Server("a", time, new SimulatedLog.Broker(time, random), random);
        server.speak();
        time.pass(Duration.ofSeconds(20));
        return server;
    }

    private static List<Server> run(long seed, boolean troubled, Duration standstill) {
        return run(seed, troubled, standstill, 0, new LogCounters());
    }

    /**
     * @param copyOneIn so many entries; 0: none
     * @param counters of the one who only reads
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

            servers.forEach(Server::speak);
            if (troubled) trouble.begin();
            for (Duration passed = Duration.ZERO; passed.compareTo(DURATION) < 0; passed = passed.plus(STEP)) {
                time.pass(STEP);
                for (Server server : servers) server.checkThatItMoves(standstill);
                assertThat(time.waitingSteps()).as("steps that wait").isLessThan(MAX_STEPS);
            }
            trouble.end();
            servers.forEach(Server::rest);
            time.pass(Duration.ofSeconds(40));
        }

        Map<UUID, Long> places = new HashMap<>();
        witness.messages().forEach(message -> places.put(message.id(), message.position()));
        witness.assertAscendingAndOnce();
        assertThat(witness.gaps()).isEmpty();
        for (Server server : servers) server.judge(places);
        return servers;
    }

    /** As the consumer: reads everything, writes nothing, has no trouble. */
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

    private enum Told {
        ACCEPTED,
        REFUSED,
        UNKNOWN
    }

    private static final class Said {
        final UUID id;

        @Nullable
        Told outcome;

        Said(Random random) {
            this.id = new UUID(random.nextLong(), random.nextLong());
        }
    }

    /** A server with senders who wait when there is no room. */
    private static final class Server implements LogPartition.Owner<Said> {
        final SimulatedLog log;
        private final String name;
        private final VirtualTime time;
        private final Random random;
        private final BreakingRoomLog behindBreaker;
        private final LogPartition<Said> partition;
        private final LogCounters counters = new LogCounters();
        private final List<Said> said = new ArrayList<>();
        private final Map<Told, Integer> told = new HashMap<>();
        // What is wrong is judged afterwards: the loop of a partition catches whatever is thrown in a step.
        private final List<UUID> toldTwice = new ArrayList<>();
        private final List<LogGap> gaps = new ArrayList<>();
        private boolean speaks;
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

        void speak() {
            speaks = true;
            next();
        }

        void rest() {
            speaks = false;
        }

        /** Now and then a burst, else one by one. */
        private void next() {
            if (speaks) say(random.nextInt(10) == 0 ? 30 : 1);
        }

        private void say(int count) {
            for (int i = 0; i < count; i++) {
                Said message = new Said(random);
                if (!offer(message)) {
                    int left = count - i;
                    partition.whenRoom(() -> say(left));
                    return;
                }
            }
            time.in(Duration.ofMillis(random.nextInt(100)), this::next);
        }

        private boolean offer(Said message) {
            OutgoingMessage outgoing = Samples.message("room", message.id, Samples.IPV4, "42", "x");
            LogPartition.Offer offer = partition.offer(outgoing, message);
            if (offer == LogPartition.Offer.FULL) return false;
            if (open++ == 0) movedNanos = time.nanoTime();
            said.add(message);
            if (offer == LogPartition.Offer.UNAVAILABLE) tell(List.of(message), Told.REFUSED);
            return true;
        }

        private void tell(List<Said> messages, Told outcome) {
            for (Said message : messages) {
                if (message.outcome != null) toldTwice.add(message.id);
                message.outcome = outcome;
                told.merge(outcome, 1, Integer::sum);
            }
            open -= messages.size();
            movedNanos = time.nanoTime();
        }

        int accepted() {
            return told.getOrDefault(Told.ACCEPTED, 0);
        }

        void checkThatItMoves(Duration standstill) {
            if (open == 0 || !log.isWell() || behindBreaker.state() != RoomLog.State.UP) movedNanos = time.nanoTime();
            assertThat(time.nanoTime() - movedNanos)
                    .as("nanoseconds that %s stands still with %d messages", name, open)
                    .isLessThanOrEqualTo(standstill.toNanos());
        }

        void judge(Map<UUID, Long> places) {
            assertThat(toldTwice).isEmpty();
            assertThat(gaps).isEmpty();
            long before = -1;
            Set<UUID> once = new HashSet<>();
            for (Said message : said) {
                assertThat(message.outcome).as("outcome of a message").isNotNull();
                assertThat(once.add(message.id)).isTrue();
                long place = places.getOrDefault(message.id, -1L);
                if (message.outcome == Told.REFUSED)
                    assertThat(place).as("place of what was refused").isNegative();
                if (message.outcome != Told.ACCEPTED) continue;
                assertThat(place).as("place of what was accepted").isGreaterThan(before);
                before = place;
            }
            assertThat(accepted()).isGreaterThan(1_000);
        }

        @Override
        public void entry(LogEntry entry, @Nullable List<Said> own) {
            if (own != null) tell(own, Told.ACCEPTED);
        }

        @Override
        public void gap(LogGap gap) {
            gaps.add(gap);
        }

        @Override
        public void refused(List<Said> messages) {
            tell(messages, Told.REFUSED);
        }

        @Override
        public void outcomeUnknown(List<Said> messages) {
            tell(messages, Told.UNKNOWN);
        }

        @Override
        public void started() {}
    }

    /** What happens, and when. */
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
                    // Some longer than anybody waits before subscribing anew.
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

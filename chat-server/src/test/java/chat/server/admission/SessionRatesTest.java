package chat.server.admission;

import static org.assertj.core.api.Assertions.assertThat;

import chat.server.admission.SessionRates.Decision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages pass their rates in order, as fast as these say and no faster; by a clock that is stepped. */
class SessionRatesTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;

    private final SteppedMeter meter = new SteppedMeter();
    private final TestRates test = new TestRates();
    /** Of all sessions: in this test they share one event loop. */
    private final PriorityQueue<Timer> timers = new PriorityQueue<>(Comparator.comparingLong(Timer::at));

    private final List<String> passed = new ArrayList<>();

    private record Timer(long at, Runnable step) {}

    /** A session that remembers what became of its messages. */
    private final class Sender implements SessionRates.Owner<String> {
        final List<String> mine = new ArrayList<>();
        final List<Long> when = new ArrayList<>();
        final List<Long> refusals = new ArrayList<>();
        final List<String> rejected = new ArrayList<>();
        int said;
        int tooFast;
        final SessionRates<String> limits;

        Sender(Rates rates) {
            SessionRates<String> made = rates.forSession(this);
            if (made == null) throw new AssertionError("nothing is limited");
            limits = made;
        }

        Decision say(String message) {
            return say(message, "user");
        }

        Decision say(String message, String user) {
            return say(message, user, SessionRates.Kind.MESSAGE);
        }

        Decision say(String message, String user, SessionRates.Kind kind) {
            said++;
            Decision decision = limits.admit(message, user, kind);
            if (decision == Decision.NOW) passed(message);
            return decision;
        }

        @Override
        public void passed(String message) {
            mine.add(message);
            passed.add(message);
            when.add(meter.currentTimeNanos());
        }

        @Override
        public void rejected(String message, String why, long nanos) {
            rejected.add(message);
            refusals.add(nanos);
        }

        @Override
        public void tooFast() {
            tooFast++;
        }

        @Override
        public void execute(Runnable step) {
            step.run();
        }

        @Override
        public void executeAfter(long nanos, Runnable step) {
            timers.add(new Timer(meter.currentTimeNanos() + nanos, step));
        }
    }

    private void advanceTo(long nanos) {
        advanceTo(nanos, 0);
    }

    /** @param late by how much timers are late, at most */
    private void advanceTo(long nanos, long late) {
        Random lateness = new Random(nanos);
        Timer next;
        while ((next = timers.peek()) != null && next.at() <= nanos) {
            timers.remove();
            long at = next.at() + (late == 0 ? 0 : lateness.nextLong(late));
            meter.stepTo(Math.max(meter.currentTimeNanos(), Math.min(nanos, at)));
            next.step().run();
        }
        meter.stepTo(nanos);
    }

    @Test
    void newRoomRateSpansSessionsAndKnownRoomsAreUnlimited() {
        UserLimits limits = new UserLimits(20, 60, 600);
        Rates rates = test.joins(JoinRates.of(limits, 128)).rates(meter);
        Sender one = new Sender(rates);
        Sender two = new Sender(rates);
        for (int i = 0; i < 500; i++) one.say("new " + i, "1", SessionRates.Kind.JOIN_OF_NEW_ROOM);
        assertThat(one.mine).hasSize(256);
        assertThat(one.refusals.getFirst()).isEqualTo(SECOND);
        assertThat(two.say("new", "1", SessionRates.Kind.JOIN_OF_NEW_ROOM)).isEqualTo(Decision.REJECTED);
        assertThat(two.say("new", "2", SessionRates.Kind.JOIN_OF_NEW_ROOM)).isEqualTo(Decision.NOW);
        // A JOIN that the bucket of new rooms refused costs no token of the bucket of JOINs.
        for (int i = 0; i < 20 * 128 - 256; i++)
            assertThat(two.say("known", "1", SessionRates.Kind.JOIN)).isEqualTo(Decision.NOW);
        assertThat(two.say("known", "1", SessionRates.Kind.JOIN)).isEqualTo(Decision.REJECTED);
        assertThat(two.say("text", "1")).isEqualTo(Decision.NOW);
        meter.step(Duration.ofSeconds(60));
        for (int i = 0; i < 100; i++) one.say("later " + i, "1", SessionRates.Kind.JOIN_OF_NEW_ROOM);
        assertThat(one.mine).hasSize(256 + 60);
    }

    @Test
    void burstPassesThenExcessReceivesARetryDelay() {
        Sender sender = new Sender(test.session(10, 3).rates(meter));
        for (String message : List.of("a", "b", "c"))
            assertThat(sender.say(message)).isEqualTo(Decision.NOW);
        assertThat(sender.say("d")).isEqualTo(Decision.REJECTED);
        assertThat(sender.refusals).containsExactly(100 * MILLI);
        meter.stepTo(30 * MILLI);
        assertThat(sender.say("d")).isEqualTo(Decision.REJECTED);
        assertThat(sender.refusals.getLast())
                .as("to come too early costs nothing")
                .isEqualTo(70 * MILLI);
        meter.stepTo(100 * MILLI);
        assertThat(sender.say("d")).isEqualTo(Decision.NOW);
        assertThat(test.counters.of(RateScope.SESSION).admitted.sum()).isEqualTo(4);
        assertThat(test.counters.of(RateScope.SESSION).rejected.sum()).isEqualTo(2);
    }

    @Test
    void queuePassesInOrderEvenlyAndRejectsTheExcess() {
        Sender sender = new Sender(test.session(TestRates.queueing(300, 1, 5, Duration.ofSeconds(1)))
                .rates(meter));
        for (int i = 0; i < 8; i++) sender.say("m" + i);
        assertThat(sender.mine).containsExactly("m0");
        assertThat(sender.rejected).as("five may wait").containsExactly("m6", "m7");
        advanceTo(SECOND);
        assertThat(sender.mine).containsExactly("m0", "m1", "m2", "m3", "m4", "m5");
        for (int i = 0; i < 6; i++) assertThat(sender.when.get(i)).isBetween(i * SECOND / 300, i * SECOND / 300 + 10);
        assertThat(test.counters.of(RateScope.SESSION).waiting.sum()).isZero();
    }

    @Test
    void waitAboveTheLimitIsRejectedImmediately() {
        Sender sender = new Sender(test.session(TestRates.queueing(10, 1, 1000, Duration.ofMillis(250)))
                .rates(meter));
        for (int i = 0; i < 5; i++) sender.say("m" + i);
        assertThat(sender.rejected).containsExactly("m3", "m4");
        assertThat(sender.refusals).as("until all before it have passed").containsExactly(300 * MILLI, 300 * MILLI);
    }

    @Test
    void doubleTheRateFillsTheQueueIn6700msThenExcessIsRejected() {
        Sender sender = new Sender(test.session(TestRates.queueing(300, 1, 2000, Duration.ofSeconds(10)))
                .rates(meter));
        long firstRejected = -1;
        int offered = 30 * 600;
        for (int i = 0; i < offered; i++) {
            advanceTo(i * SECOND / 600);
            if (sender.say("m" + i) == Decision.REJECTED && firstRejected < 0) firstRejected = meter.currentTimeNanos();
        }
        assertThat(firstRejected).isBetween(6_600 * MILLI, 6_700 * MILLI);
        assertThat(sender.mine.size()).isBetween(9_000 - 2, 9_000 + 2);
        advanceTo(40 * SECOND);
        assertThat(sender.mine.size() + sender.rejected.size()).isEqualTo(offered);
        assertThat(sender.mine)
                .isSortedAccordingTo(Comparator.comparingInt(message -> Integer.parseInt(message.substring(1))));
        assertThat(sender.mine.size()).isBetween(11_000 - 2, 11_000 + 2);
    }

    /** Little's law: four that always have one message waiting each wait four times the time between two tokens. */
    @ParameterizedTest
    @CsvSource({"300, 13_333_333", "600, 6_666_667"})
    void fourClosedLoopSendersWaitFourTimesTheTokenInterval(int perSecond, String expectedNanos) {
        Rates rates = test.queueOfServer(perSecond, 1, 2000).rates(meter);
        List<Sender> senders = Stream.generate(() -> new Sender(rates)).limit(4).toList();
        long[] since = new long[4];
        List<Long> waits = new ArrayList<>();
        for (Sender sender : senders) sender.say("first");
        for (int next = 0; waits.size() < 2000; next = (next + 1) % 4) {
            Sender sender = senders.get(next);
            while (sender.mine.size() < sender.said)
                advanceTo(Objects.requireNonNull(timers.peek()).at());
            if (sender.said > 1) waits.add(meter.currentTimeNanos() - since[next]);
            since[next] = meter.currentTimeNanos();
            sender.say("again");
        }
        long expected = Long.parseLong(expectedNanos.replace("_", ""));
        // The bucket counts in whole tokens per second.
        assertThat(waits).allSatisfy(wait -> assertThat(wait).isBetween(expected - 1000, expected + 1000));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 7.3, 300, 600, 4_000})
    void timersThatAreLateCostNoThroughput(double perSecond) {
        Sender sender = new Sender(test.session(TestRates.queueing(perSecond, 1, 1_000_000, Duration.ofMinutes(1)))
                .rates(meter));
        int messages = (int) (perSecond * 20);
        for (int i = 0; i < messages; i++) sender.say("m" + i);
        for (long at = 0; at <= 20 * SECOND; at += 5 * MILLI) advanceTo(at, 3 * MILLI);
        assertThat(sender.mine.size()).isBetween(messages - 1, messages);
        assertThat(sender.rejected).isEmpty();
    }

    @Test
    void allSessionsShareTheServersQueueFirstInFirstOut() {
        Rates rates = test.server(TestRates.queueing(100, 1, 100, Duration.ofSeconds(10)))
                .rates(meter);
        List<Sender> senders =
                IntStream.range(0, 4).mapToObj(i -> new Sender(rates)).toList();
        List<String> said = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            String message = "m" + i;
            said.add(message);
            senders.get(i * 7 % 4).say(message);
        }
        advanceTo(SECOND);
        assertThat(passed).isEqualTo(said);
    }

    @Test
    void closedSessionReturnsItsReservations() {
        Rates rates = test.server(TestRates.queueing(100, 1, 100, Duration.ofSeconds(10)))
                .rates(meter);
        Sender goes = new Sender(rates);
        Sender stays = new Sender(rates);
        goes.say("first");
        for (int i = 0; i < 10; i++) {
            goes.say("gone" + i);
            stays.say("s" + i);
        }
        goes.limits.close();
        assertThat(rates.waiting()).isEqualTo(10);
        advanceTo(100 * MILLI);
        assertThat(stays.mine).hasSize(10);
        for (int i = 0; i < 10; i++) assertThat(stays.when.get(i)).isEqualTo((i + 1) * 10L * MILLI);
        assertThat(goes.mine).containsExactly("first");
        assertThat(stays.say("next")).isEqualTo(Decision.HELD);
        advanceTo(110 * MILLI);
        assertThat(stays.mine).endsWith("next");
        assertThat(test.counters.of(RateScope.SERVER).abandoned.sum()).isEqualTo(10);
        assertThat(test.counters.of(RateScope.SERVER).waiting.sum()).isZero();
        assertThat(rates.waiting()).isZero();
    }

    @Test
    void userHasOneBucketOverSessionsAndReconnects() {
        Rates rates = test.user(10, 5).rates(meter);
        int taken = 0;
        for (int i = 0; i < 100; i++) {
            Sender another = new Sender(rates);
            if (another.say("m") == Decision.NOW) taken++;
            another.limits.close();
        }
        assertThat(taken).isEqualTo(5);
        assertThat(new Sender(rates).say("m", "other")).isEqualTo(Decision.NOW);
    }

    @Test
    void moreUsersThanAreKeptGetNoMoreThanTheyMayEither() {
        Rates rates = test.user(1, 5).maxKeys(16).rates(meter);
        Sender sender = new Sender(rates);
        int taken = 0;
        for (int round = 0; round < 200; round++) {
            if (sender.say("mine", "me") == Decision.NOW) taken++;
            for (int other = 0; other < 50; other++) sender.say("theirs", "other" + round + "/" + other);
        }
        assertThat(rates.usersEvicted()).isPositive();
        assertThat(rates.users()).isLessThan(200);
        assertThat(taken).isLessThanOrEqualTo(5);
    }

    @Test
    void serverRejectionReturnsTheUsersToken() {
        Rates rates = test.user(10, 5).server(TestRates.rejecting(1, 1)).rates(meter);
        Sender sender = new Sender(rates);
        assertThat(sender.say("a")).isEqualTo(Decision.NOW);
        for (int i = 0; i < 50; i++) assertThat(sender.say("b" + i)).isEqualTo(Decision.REJECTED);
        assertThat(sender.refusals).allMatch(nanos -> nanos == SECOND);
        assertThat(test.counters.of(RateScope.USER).givenBack.sum()).isEqualTo(50);
        assertThat(test.counters.of(RateScope.USER).rejected.sum()).isZero();
    }

    @Test
    void behindOneThatWaitsOthersOfItsSessionWaitToo() {
        Rates rates =
                test.user(TestRates.queueing(10, 1, 10, Duration.ofSeconds(10))).rates(meter);
        Sender sender = new Sender(rates);
        sender.say("a1", "a");
        assertThat(sender.say("a2", "a")).isEqualTo(Decision.HELD);
        assertThat(sender.say("b1", "b")).as("its user has a token").isEqualTo(Decision.HELD);
        assertThat(sender.limits.keepInOrder("leave")).isEqualTo(Decision.HELD);
        advanceTo(100 * MILLI);
        assertThat(sender.mine).containsExactly("a1", "a2", "b1", "leave");
        assertThat(sender.limits.keepInOrder("later")).isEqualTo(Decision.NOW);
    }

    @Test
    void allQueuesTogetherHoldNoMoreThanTheyMay() {
        Rates rates = test.session(TestRates.queueing(1, 1, 100, Duration.ofMinutes(1)))
                .maxWaiting(15)
                .rates(meter);
        Sender one = new Sender(rates);
        Sender two = new Sender(rates);
        for (int i = 0; i < 11; i++) {
            one.say("m");
            two.say("m");
        }
        assertThat(rates.waiting()).isEqualTo(15);
        assertThat(one.rejected.size() + two.rejected.size()).isEqualTo(5);
    }

    @Test
    void persistentExcessClosesTheSessionAndSlowingDownDoesNot() {
        Rates rates = test.session(100, 1).maxRefused(10).rates(meter);
        Sender fast = new Sender(rates);
        for (int i = 0; i < 11; i++) fast.say("m");
        assertThat(fast.tooFast).isEqualTo(1);
        Sender twice = new Sender(rates);
        for (int i = 0; i < 1000; i++) {
            meter.step(Duration.ofMillis(5));
            twice.say("m");
        }
        assertThat(twice.rejected).hasSizeGreaterThan(400);
        assertThat(twice.tooFast).isZero();
    }

    /** Any rates and policies, any load, sessions that come and go: what must always hold. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void randomLoadKeepsRateAndOrderAndLosesNothing(long seed) {
        Random random = new Random(seed);
        TokenQueueSettings session = any(random);
        TokenQueueSettings server = any(random);
        TokenQueueSettings user = any(random);
        if (!session.rate().isLimited()
                && !server.rate().isLimited()
                && !user.rate().isLimited()) session = TestRates.rejecting(5, 5);
        Rates rates = test.session(session).server(server).user(user).rates(meter);
        List<Sender> open = new ArrayList<>();
        List<Sender> all = new ArrayList<>();
        int message = 0;
        for (int i = 0; i < 4000; i++) {
            advanceTo(meter.currentTimeNanos() + random.nextLong(4 * MILLI), random.nextBoolean() ? 2 * MILLI : 0);
            if (open.size() < 3 || random.nextInt(200) == 0) {
                Sender sender = new Sender(rates);
                open.add(sender);
                all.add(sender);
            }
            Sender sender = open.get(random.nextInt(open.size()));
            if (random.nextInt(300) == 0) {
                open.remove(sender);
                sender.limits.close();
            } else {
                sender.say(Integer.toString(message++), "u" + all.indexOf(sender) % 2);
            }
        }
        advanceTo(meter.currentTimeNanos() + 120 * SECOND);
        for (Sender sender : all) {
            assertThat(sender.mine.stream().map(Integer::valueOf).toList()).isSorted();
            int come = sender.mine.size() + sender.rejected.size();
            if (open.contains(sender)) assertThat(come).isEqualTo(sender.said);
            else assertThat(come).isLessThanOrEqualTo(sender.said);
        }
        assertThat(rates.waiting()).isZero();
        for (RateScope bound : RateScope.values())
            assertThat(test.counters.of(bound).waiting.sum()).isZero();
        assertPaced(
                all.stream().flatMap(sender -> sender.when.stream()).sorted().toList(), server);
        if (server.rate().isLimited() || user.rate().isLimited()) return;
        for (Sender sender : all) assertPaced(sender.when, session);
    }

    private static TokenQueueSettings any(Random random) {
        double perSecond = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(500);
        return random.nextBoolean()
                ? TestRates.rejecting(perSecond, 1 + random.nextInt(20))
                : TestRates.queueing(
                        perSecond,
                        1 + random.nextInt(20),
                        1 + random.nextInt(50),
                        Duration.ofMillis(1 + random.nextInt(5000)));
    }

    /** In no span more than the burst and what drops in during it; a timer that is late may have brought two together. */
    private static void assertPaced(List<Long> when, TokenQueueSettings of) {
        if (!of.rate().isLimited()) return;
        double spare = of.perSecond() * 0.007 + 1.01;
        for (int from = 0; from < when.size(); from += 7)
            for (int to = from; to < when.size(); to += 13) {
                double seconds = (when.get(to) - when.get(from)) / 1e9;
                assertThat(to - from + 1.0).isLessThanOrEqualTo(of.burst() + of.perSecond() * seconds + spare);
            }
    }
}

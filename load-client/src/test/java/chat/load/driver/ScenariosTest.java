package chat.load.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import chat.load.check.Verdict.Check;
import chat.load.plan.Arrivals;
import chat.load.plan.Arrivals.Stages;
import chat.load.plan.Arrivals.Stages.Stage;
import chat.load.plan.Crowd;
import chat.load.plan.Guests;
import chat.load.plan.Pacing;
import chat.load.plan.Plan;
import chat.load.plan.Traffic;
import chat.load.report.Latencies.Metric;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checks of the scenarios besides sending and receiving, each against a correct and a faulty platform. */
@Timeout(240)
class ScenariosTest extends AgainstFakeChat {
    private static final String FIRST_GUEST = PlanBuilder.userId(6, 6);

    @Test
    void aClientIsInSeveralRoomsOverOneConnection() throws Exception {
        run(PlanBuilder.of(6, 3, 5).roomsPerClient(3).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.attempts.sum()).isEqualTo(6);
        assertThat(verdict.received()).isEqualTo(6 * 15 * 3);
    }

    @Test
    void severalRoomsResumeOverOneNewConnection() throws Exception {
        faults.dropAt = 25;
        run(PlanBuilder.of(6, 3, 5).roomsPerClient(3).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.reconnects.sum()).isPositive();
    }

    @Test
    void lostConnectionFailsARunThatKeepsConnections() throws Exception {
        run(PlanBuilder.of(2, 3, 20).keepsConnections().plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(check("no connection was lost or refused").count()).isZero();
        faults.dropAt = 25;
        run(PlanBuilder.of(2, 3, 20).keepsConnections().plan(), true);
        assertThat(failed()).containsExactly("no connection was lost or refused");
    }

    @Test
    void anOpenLoopSendsEverythingAtItsTime() throws Exception {
        run(PlanBuilder.of(2, 5, 20).rate(1000).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        // The last one is due 199 ms after the first.
        assertThat(result().chatSeconds()).isGreaterThan(0.199);
        assertThat(verdict.accepted()).isEqualTo(200);
    }

    @Test
    void anOpenLoopCountsLatencyFromTheIntendedTime() throws Exception {
        // The whole platform refuses for 20 ms at a time, so what is offered waits; nothing is sent later for it.
        faults.unavailableTexts = 60;
        run(PlanBuilder.of(1, 2, 30).rate(2000).retries(100).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(result().latencies().of(Metric.ACK).getMaxValue())
                .as("microseconds")
                .isGreaterThan(20_000);
    }

    @Test
    void aDurationEndsTheSendingAndWhatWasNotSentIsNoFault() throws Exception {
        run(PlanBuilder.of(2, 3, 100_000).rate(500).millis(300).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(verdict.accepted()).isBetween(100L, 200L);
        assertThat(result().chatSeconds()).isGreaterThanOrEqualTo(0.3);
    }

    @Test
    void aRunWithoutMessagesJustHoldsItsConnections() throws Exception {
        run(PlanBuilder.of(4, 5, 0).millis(100).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.joined.sum()).isEqualTo(20);
    }

    @Test
    void connectionsFollowTheStages() throws Exception {
        run(
                PlanBuilder.of(4, 5, 100)
                        .rate(300)
                        .arrivals(new Stages(
                                List.of(stage(200, 12), stage(200, 12), stage(100, 20), stage(200, 20), stage(200, 0))))
                        .millis(900)
                        .plan(),
                true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.joined.sum()).isEqualTo(20);
        assertThat(counters.departed.sum()).isEqualTo(20);
        assertThat(verdict.accepted()).isPositive();
        assertThat(counters.resends.sum()).as("no connection was lost").isZero();
    }

    private static Stage stage(long millis, int target) {
        return new Stage(Duration.ofMillis(millis), target);
    }

    @Test
    void visitorsHearAllOfTheirStay() throws Exception {
        run(visited(150), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.joined.sum()).isEqualTo(6 + 40);
        assertThat(counters.departed.sum()).isPositive();
        assertThat(check("each of 40 visitors was welcomed").count()).isZero();
    }

    @Test
    void aVisitorThatMissesOneOfItsStayIsFlagged() throws Exception {
        faults.victim = FIRST_GUEST;
        faults.withhold = 3;
        run(visited(380), true);
        assertThat(failed()).containsExactly("every member received every TEXT");
    }

    @Test
    void aVisitorThatIsToldNothingIsFlagged() throws Exception {
        faults.victim = FIRST_GUEST;
        faults.withholdAll = true;
        run(visited(150), true);
        assertThat(failed()).containsExactly("every member received every TEXT");
    }

    @Test
    void aVisitorThatMissesTheLastOfItsStayIsFlagged() throws Exception {
        faults.victim = FIRST_GUEST;
        faults.withholdLast = true;
        run(visited(150), true);
        assertThat(failed()).containsExactly("every member received every TEXT");
        assertThat(check("every member received every TEXT").count()).isEqualTo(1);
    }

    @Test
    void aVisitorWhoseJoinIsNotAnsweredIsFlagged() throws Exception {
        faults.victim = FIRST_GUEST;
        faults.ignoreJoins = true;
        run(visited(150), true);
        assertThat(failed()).containsExactly("each of 40 visitors was welcomed");
        assertThat(check("each of 40 visitors was welcomed").examples())
                .singleElement()
                .asString()
                .startsWith("guest 6 in ");
    }

    @Test
    void visitorsThatAreNeverLetInAreFlagged() throws Exception {
        faults.places = 6;
        run(visited(150), true);
        assertThat(failed()).containsExactly("each of 40 visitors was welcomed");
        assertThat(check("each of 40 visitors was welcomed").count()).isEqualTo(40);
    }

    @Test
    void aVisitorOfSeveralRoomsLeavesWhenItHasHeardAllOfEach() throws Exception {
        run(
                PlanBuilder.of(2, 6, 1000)
                        .roomsPerClient(2)
                        .rate(200)
                        .guests(Guests.visitors(100, Duration.ofMillis(150), Duration.ofMillis(400)))
                        .millis(400)
                        .plan(),
                true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.joined.sum()).isEqualTo(2 * (6 + 40));
        assertThat(counters.departed.sum()).isPositive();
        assertThat(counters.connected.sum()).isZero();
    }

    private static Plan visited(long stayMillis) {
        return PlanBuilder.of(1, 6, 1000)
                .rate(200)
                .guests(Guests.visitors(100, Duration.ofMillis(stayMillis), Duration.ofMillis(400)))
                .millis(400)
                .plan();
    }

    @Test
    void membersLeaveAndComeBackAndHearAllOfEachStay() throws Exception {
        run(PlanBuilder.of(2, 6, 30).turnover(0.2).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.departed.sum()).isPositive();
        assertThat(counters.rejoined.sum()).isEqualTo(counters.departed.sum());
    }

    @Test
    void turnoverIsExactAndEveryMessageIsAnswered() throws Exception {
        run(
                PlanBuilder.of(2, 3, 36)
                        .traffic(new Traffic(false, 100, 50, 0.0556, 0))
                        .plan(),
                true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.sent.sum()).isEqualTo(216);
        assertThat(counters.joins.sum()).isEqualTo(12);
        assertThat(counters.joined.sum() + counters.rejoined.sum()).isEqualTo(12);
        assertThat(counters.leaves.sum()).isEqualTo(12);
        assertThat(counters.left.sum()).isEqualTo(12);
    }

    @Test
    void numberedRoomsMayHoldMessagesOfOthers() throws Exception {
        faults.phantomRow = true;
        faults.phantomDelivery = true;
        run(PlanBuilder.of(2, 3, 5).traffic(new Traffic(true, 100, 0, 0, 0)).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(result().rooms()).extracting(ChatRun.RoomFigures::room).containsExactly("1", "2");
        run(PlanBuilder.of(2, 3, 5).plan(), true);
        assertThat(failed()).contains("nothing is stored that was not sent", "nobody received what was not sent");
    }

    @Test
    void textsSentTwiceAreAnsweredTwiceAndDeliveredOnce() throws Exception {
        run(
                PlanBuilder.of(2, 3, 40)
                        .window(4)
                        .traffic(new Traffic(false, 100, 0, 0, 0.5))
                        .plan(),
                true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.duplicates.sum()).isBetween(60L, 180L);
        assertThat(verdict.received()).isEqualTo(3 * 240);
        assertThat(counters.sent.sum()).isEqualTo(240);
    }

    @Test
    void messagesInFlightAreTheRateTimesTheLatency() throws Exception {
        run(PlanBuilder.of(2, 5, 100).rate(1000).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        Histogram ack = result().latencies().of(Metric.ACK);
        assertThat(result().throughput().inFlightSeconds())
                .isCloseTo(ack.getTotalCount() * ack.getMean() / 1e6, withinPercentage(2));
    }

    @Test
    void bucketsBeginWithTheFirstSend() throws Exception {
        // A second of connecting, and half a second of messages.
        run(
                PlanBuilder.of(1, 10, 50)
                        .arrivals(new Arrivals.Ramp(new Pacing.Rate(10)))
                        .rate(1000)
                        .plan(),
                true);
        assertThat(result().throughput().beginSecond()).isGreaterThan(0.9);
        assertThat(result().throughput().seconds()).isBetween(0.49, 5.0);
    }

    @Test
    void textMissingBeforeALeaveIsFlagged() throws Exception {
        faults.loseBeforeLeave = true;
        run(PlanBuilder.of(1, 6, 30).window(4).turnover(0.2).plan(), true);
        assertThat(failed()).contains("every member received every TEXT");
    }

    @Test
    void aSilentClientIsClosedAndTheOthersStay() throws Exception {
        faults.pingMillis = 300;
        run(misbehaving(Guests.Kind.SILENT, 2000), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(check("each of 2 silent clients was closed within 2 s").count())
                .isZero();
    }

    @Test
    void aSilentClientThatIsKeptIsFlagged() throws Exception {
        run(misbehaving(Guests.Kind.SILENT, 1000), true);
        assertThat(failed()).containsExactly("each of 2 silent clients was closed within 1 s");
        assertThat(check("each of 2 silent clients was closed within 1 s").count())
                .isEqualTo(2);
    }

    @Test
    void aSlowReaderIsClosedAndTheOthersStay() throws Exception {
        faults.writeDeadlineMillis = 500;
        faults.padding = 20_000;
        run(misbehaving(Guests.Kind.SLOW_READERS, 2000), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
    }

    @Test
    void aSlowReaderThatIsKeptIsFlagged() throws Exception {
        run(misbehaving(Guests.Kind.SLOW_READERS, 1000), true);
        assertThat(failed()).containsExactly("each of 2 slow readers was closed within 1 s");
    }

    private static Plan misbehaving(Guests.Kind kind, long withinMillis) {
        return PlanBuilder.of(2, 3, 400)
                .window(2)
                .guests(new Guests(kind, 2, 0, Duration.ZERO, Duration.ofMillis(withinMillis)))
                .millis(600)
                .plan();
    }

    @Test
    void aLimitThatIsKeptPasses() throws Exception {
        faults.limitPerSecond = 200;
        run(
                PlanBuilder.of(1, 1, 1000)
                        .rate(400)
                        .retries(0)
                        .limit(0, 0, 0.05)
                        .millis(1000)
                        .plan(),
                true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(result().announcedRate()).isEqualTo(200);
        assertThat(verdict.refused()).isPositive();
        assertThat(verdict.accepted() + verdict.refused()).isEqualTo(verdict.invoked());
    }

    @Test
    void aLimitThatIsNotKeptIsFlagged() throws Exception {
        faults.limitPerSecond = 200;
        faults.limitIgnored = true;
        run(
                PlanBuilder.of(1, 1, 1000)
                        .rate(400)
                        .retries(0)
                        .limit(0, 0, 0.05)
                        .millis(1000)
                        .plan(),
                true);
        assertThat(failed()).containsExactly("200/s were let through, within 5.0 %");
    }

    @Test
    void pendingQueueMustFillInTimeAndAnswersMustArriveInTime() throws Exception {
        faults.limitPerSecond = 200;
        run(
                PlanBuilder.of(1, 1, 1000)
                        .rate(400)
                        .retries(0)
                        .limit(new Plan.Limit(200, 0, 0.05, true, 100, Duration.ofMillis(1)))
                        .millis(1000)
                        .plan(),
                true);
        // Every second one is refused from the beginning: nothing waits.
        assertThat(failed())
                .contains("nothing was refused before 0.5 s, within 5 %", "200/s were let through, within 5.0 %")
                .doesNotContain("every TEXT was accepted");
        assertThat(result().expectations())
                .extracting(Check::name)
                .contains("p99 of what was let through is below 1 ms")
                .anyMatch(name -> name.endsWith("that were offered"));
    }

    @Test
    void aMessageIsOfferedOnlySoOften() throws Exception {
        faults.unavailableTexts = 1_000_000;
        run(PlanBuilder.of(1, 1, 1).retries(2).plan(), true);
        assertThat(failed()).containsExactly("every TEXT was accepted");
        assertThat(verdict.refused()).isEqualTo(1);
        assertThat(counters.retries.sum()).isEqualTo(2);
    }

    @Test
    void theTimeFromFrameToRowIsMeasured() throws Exception {
        run(PlanBuilder.of(1, 2, 200).rate(400).plan(), true);
        assertThat(result().latencies().of(Metric.ROW).getTotalCount()).isPositive();
    }

    @Test
    void everySecondIsWrittenDown() throws Exception {
        run(PlanBuilder.of(1, 2, 1000).rate(200).millis(1500).plan(), true);
        double sent = 0;
        for (double second : samples.values("client.sent")) if (second > 0) sent += second;
        assertThat(sent).isEqualTo((double) verdict.invoked());
        assertThat(samples.names()).contains("client.ack.p99", "client.others.p50", "client.connected");
        assertThat(phases).containsExactly("connect", "chat", "storage");
    }

    private static Plan crowded() {
        Duration three = Duration.ofSeconds(3);
        // An open loop: rates of a closed one would be the test machine's.
        return PlanBuilder.of(2, 3, 100_000)
                .rate(300)
                .millis(8000)
                .crowd(new Crowd(20, three, three, 0.5, Duration.ofSeconds(2)))
                .plan();
    }

    @Test
    void aCrowdIsRefusedAgainAndAgainAndMembersDoNotNotice() throws Exception {
        faults.places = 6;
        run(crowded(), false);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(check("whoever of the crowd asked was answered").count()).isZero();
        // Each client waits for a second as requested: at most one message in each of three seconds.
        assertThat(result().notes().getFirst())
                .containsPattern("a crowd of 20 asked [2-6]\\d times in 3 s: [2-6]\\d refused")
                .endsWith("0 without an answer, 0 let in");
    }

    @Test
    void aCrowdThatGetsNoAnswerIsFlagged() throws Exception {
        faults.places = 6;
        faults.slamsTheDoor = true;
        run(crowded(), false);
        assertThat(failed()).containsExactly("whoever of the crowd asked was answered");
    }

    @Test
    void limitIsReadWithoutSendingMessages() throws Exception {
        faults.limitPerSecond = 300;
        run(PlanBuilder.of(1, 1, 0).arrivals(Arrivals.Ramp.DEFAULT).plan(), false);
        assertThat(result().announcedRate()).isEqualTo(300);
    }
}

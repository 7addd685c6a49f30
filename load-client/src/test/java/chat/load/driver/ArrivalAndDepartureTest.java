package chat.load.driver;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.dialect.Dialect;
import chat.load.dialect.Dialect.Feature;
import chat.load.dialect.Dialects;
import chat.load.dialect.FrameReader;
import chat.load.dialect.Identity;
import chat.load.plan.Arrivals.Ramp;
import chat.load.plan.Arrivals.Stages;
import chat.load.plan.Arrivals.Stages.Stage;
import chat.load.plan.Guests;
import chat.load.plan.Pacing;
import chat.load.plan.Plan;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that are lost at the worst moment: no run may wait for what will never come. */
@Timeout(240)
class ArrivalAndDepartureTest extends AgainstFakeChat {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void whoseConnectionIsLostBeforeItsWelcomeJoinsAgain(int join) throws Exception {
        faults.dropAtJoin = join;
        run(PlanBuilder.of(1, 4, 5).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.joined.sum()).isEqualTo(4);
        assertThat(counters.reconnects.sum() + counters.failedConnects.sum()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4100, 4200})
    void aTextThatWasNotAnsweredBeforeALeaveIsAnsweredInTheNextStay(int closeCode) throws Exception {
        // The one member says something and leaves right after it: both are on their way when the connection ends.
        faults.dropAt = 5;
        faults.dropCode = closeCode;
        run(PlanBuilder.of(1, 1, 10).turnover(1).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(verdict.accepted()).isEqualTo(10);
        assertThat(counters.resends.sum()).isEqualTo(1);
    }

    @Test
    void theSameAmongOthersWhoTalk() throws Exception {
        faults.dropAt = 25;
        run(PlanBuilder.of(1, 6, 10).window(3).turnover(0.5).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void whoseConnectionIsLostWhileLeavingComesBack(int leave) throws Exception {
        faults.dropAtLeave = leave;
        run(PlanBuilder.of(1, 2, 8).turnover(1).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.reconnects.sum()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5, 6})
    void whoseConnectionIsLostWhileComingBackComesBack(int join) throws Exception {
        faults.dropAtJoin = join;
        run(PlanBuilder.of(1, 2, 8).turnover(1).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.reconnects.sum()).isPositive();
    }

    @Test
    void aLeaveThatIsRefusedForNowIsAskedAgain() throws Exception {
        faults.unavailableLeaves = 3;
        run(PlanBuilder.of(1, 2, 5).turnover(1).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.retries.sum()).isEqualTo(3);
    }

    @Test
    void aLeaveThatIsRefusedForGoodEndsTheRun() throws Exception {
        faults.refuseLeave = 2;
        run(PlanBuilder.of(1, 1, 5).turnover(1).plan(), true);
        assertThat(check("the run came to its end").examples())
                .singleElement()
                .asString()
                .contains("was refused to leave", "stay, please");
    }

    @Test
    void textRejectedForNowBeforeALeaveIsSentInTheNextStay() throws Exception {
        faults.unavailableTexts = 6;
        run(PlanBuilder.of(1, 2, 5).window(2).turnover(1).retries(20).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.resends.sum()).as("no connection was lost").isZero();
    }

    @Test
    void textRejectedInEachStayIsRejectedAndNotUnknown() throws Exception {
        faults.unavailableTexts = 1_000_000;
        run(PlanBuilder.of(1, 1, 2).turnover(1).retries(2).plan(), true);
        assertThat(failed()).containsExactly("every TEXT was accepted");
        assertThat(verdict.refused()).isEqualTo(2);
        assertThat(verdict.unknown()).isZero();
    }

    @Test
    void connectionLostAtTheEndOfTheChatIsNoFault() throws Exception {
        // Everybody leaves at the end: somewhere among them the sockets end.
        faults.dropAtLeave = 2;
        run(PlanBuilder.of(1, 4, 3).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.connected.sum()).isZero();
    }

    @Test
    void clientLeavesAServerThatDoesNotAnswerAClose() throws Exception {
        faults.ignoreCloses = true;
        run(PlanBuilder.of(1, 2, 3).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.connected.sum()).isZero();
    }

    @Test
    void clientThatLosesItsConnectionDuringStagesResumesAndLeaves() throws Exception {
        faults.dropAt = 25;
        run(
                PlanBuilder.of(1, 6, 100)
                        .rate(200)
                        .arrivals(new Stages(List.of(stage(50, 6), stage(300, 0))))
                        .millis(350)
                        .plan(),
                true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.departed.sum()).isEqualTo(6);
        assertThat(counters.connected.sum()).isZero();
    }

    @Test
    void clientThatLosesItsConnectionWhileLeavingHasLeft() throws Exception {
        faults.dropAtLeave = 1;
        run(theLastLeaves(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.departed.sum()).isEqualTo(1);
        assertThat(counters.reconnects.sum()).isZero();
    }

    @Test
    void leaveByStagesThatIsRejectedForNowIsRetried() throws Exception {
        faults.unavailableLeaves = 2;
        run(theLastLeaves(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.retries.sum()).isEqualTo(2);
    }

    @Test
    void aLeaveByStagesThatIsNotAnsweredIsFlagged() throws Exception {
        faults.victim = PlanBuilder.userId(3, 2);
        faults.ignoreLeaves = true;
        run(theLastLeaves(), true);
        assertThat(failed()).containsExactly("servers kept to the protocol");
        assertThat(check("servers kept to the protocol").examples())
                .singleElement()
                .asString()
                .startsWith("user 2 in ")
                .endsWith("received no ACK of its LEAVE within 1000 ms");
    }

    @Test
    void textMissingBeforeALeaveByStagesIsFlagged() throws Exception {
        faults.victim = PlanBuilder.userId(3, 2);
        faults.withholdLast = true;
        run(theLastLeaves(), true);
        assertThat(failed()).contains("every member received every TEXT");
    }

    @Test
    void clientWithoutPositionsDoesNotWaitForTheAckOfItsLeave() throws Exception {
        dialect = new Lesser(EnumSet.of(Feature.ACKS, Feature.ONE_ORDER, Feature.SEVERAL_ROOMS, Feature.LEAVE));
        faults.victim = PlanBuilder.userId(3, 2);
        faults.ignoreLeaves = true;
        run(theLastLeaves(), false);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.departed.sum()).isEqualTo(1);
    }

    /** The last of three leaves while the others talk. */
    private static Plan theLastLeaves() {
        return PlanBuilder.of(1, 3, 1000)
                .rate(200)
                .arrivals(new Stages(List.of(stage(50, 3), stage(200, 3), stage(50, 2), stage(200, 2))))
                .millis(500)
                .plan();
    }

    @Test
    void clientThatLeavesWithoutAnAnswerDoesNotDelayOthers() throws Exception {
        faults.victim = PlanBuilder.userId(2, 1);
        faults.ignoreVictim = true;
        run(
                PlanBuilder.of(1, 2, 100)
                        .arrivals(new Stages(List.of(stage(400, 2), stage(400, 2), stage(400, 1))))
                        .millis(1200)
                        .plan(),
                true);
        assertThat(failed()).containsExactly("every TEXT was accepted");
        assertThat(check("every TEXT was accepted").examples())
                .singleElement()
                .asString()
                .contains("nothing was heard of TEXT 0 of user 1");
    }

    @Test
    void lateClientIsOnlyExpectedToReceiveWhatItsServerPromises() throws Exception {
        dialect = new Lesser(EnumSet.of(Feature.ACKS, Feature.ONE_ORDER, Feature.SEVERAL_ROOMS));
        run(
                PlanBuilder.of(1, 4, 1000)
                        .rate(200)
                        .arrivals(new Stages(List.of(stage(200, 4), stage(100, 4))))
                        .millis(300)
                        .plan(),
                false);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.joined.sum()).isEqualTo(4);
    }

    @Test
    void aSlowReaderThatIsAwayWhenTheChatBeginsStopsReadingWhenItIsBack() throws Exception {
        // Members take turns on the two ports: the first guest loses its connection when the second one joins.
        faults.dropAtJoin = 4;
        faults.writeDeadlineMillis = 500;
        faults.padding = 20_000;
        run(
                PlanBuilder.of(1, 2, 1000)
                        .window(2)
                        .arrivals(new Ramp(new Pacing.Rate(100)))
                        .guests(new Guests(Guests.Kind.SLOW_READERS, 2, 0, Duration.ZERO, Duration.ofSeconds(2)))
                        .millis(500)
                        .plan(),
                true);
        assertThat(failed()).containsExactly("nobody else lost a connection");
        assertThat(check("each of 2 slow readers was closed within 2 s").count())
                .isZero();
    }

    @Test
    void aServerWithoutAnAddressIsPassedOver() throws Exception {
        // Too long for a name: it is not even asked for.
        absent.add(ServerUrl.parse("ws://" + "x".repeat(70) + ".invalid:1"));
        run(PlanBuilder.of(1, 6, 5).plan(), true);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.failedConnects.sum()).isEqualTo(2);
    }

    private static Stage stage(long millis, int target) {
        return new Stage(Duration.ofMillis(millis), target);
    }

    /** The same servers, of which less is promised. */
    private record Lesser(Set<Feature> features) implements Dialect {
        private static final Dialect CONFAB = Dialects.confab();

        @Override
        public String name() {
            return "lesser";
        }

        @Override
        public String path(String roomId) {
            return CONFAB.path(roomId);
        }

        @Override
        public @Nullable String subprotocol() {
            return CONFAB.subprotocol();
        }

        @Override
        public boolean binary() {
            return CONFAB.binary();
        }

        @Override
        public void hello(ByteBuf out) {
            CONFAB.hello(out);
        }

        @Override
        public boolean greets() {
            return CONFAB.greets();
        }

        @Override
        public void join(ByteBuf out, Identity member, long resume) {
            CONFAB.join(out, member, resume);
        }

        @Override
        public void text(ByteBuf out, Identity member, int number, UUID messageId, String text) {
            CONFAB.text(out, member, number, messageId, text);
        }

        @Override
        public void leave(ByteBuf out, Identity member, UUID messageId) {
            CONFAB.leave(out, member, messageId);
        }

        @Override
        public FrameReader newReader() {
            return CONFAB.newReader();
        }
    }
}

package chat.load.check;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.check.MemberHistory.Gap;
import chat.load.check.MemberHistory.Stay;
import chat.load.check.RunHistory.Allowed;
import chat.load.check.Verdict.Check;
import chat.load.check.Verdict.Status;
import chat.load.plan.Numbering;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One good history, and one for each way in which it can be spoilt: that has to be flagged, and nothing else. */
class CheckerTest {
    private static final Numbering NUMBERING = new Numbering(1, 3, 4);

    private record Row(int number, long position) {}

    /** In the log in this order; users 0, 1, 2 have sent 0-3, 4-7, 8-11. */
    private final List<Integer> log = new ArrayList<>(List.of(0, 4, 8, 5, 1, 9, 2, 10, 6, 3, 7, 11));

    private final Outcome[] outcomes = new Outcome[NUMBERING.perRoom()];
    private final BitSet resent = new BitSet();
    private final long[] announced = new long[NUMBERING.perRoom()];
    private final List<List<Integer>> received = new ArrayList<>();
    private final List<List<Gap>> gaps = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    private final List<MemberHistory> visitors = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private final List<String> aborted = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private int violationsNotListed;
    private int phantoms;
    private int foreignRows;
    private int alteredRows;
    private boolean askStorage = true;
    private Allowed allowed = Allowed.NOTHING;

    CheckerTest() {
        Arrays.fill(outcomes, Outcome.ACCEPTED);
        happensAsLogged();
    }

    private void happensAsLogged() {
        received.clear();
        rows.clear();
        for (int user = 0; user < NUMBERING.users(); user++) received.add(new ArrayList<>(log));
        for (int number : log) {
            rows.add(new Row(number, positionOf(number)));
            announced[number] = positionOf(number);
        }
    }

    private long positionOf(int number) {
        return 1000L + 10L * log.indexOf(number);
    }

    @Test
    void aGoodHistoryPasses() {
        Verdict verdict = verdict();
        assertThat(verdict.passed()).as(verdict.toString()).isTrue();
        assertThat(verdict.invoked()).isEqualTo(12);
        assertThat(verdict.accepted()).isEqualTo(12);
        assertThat(verdict.stored()).isEqualTo(12);
        assertThat(verdict.received()).isEqualTo(36);
        assertThat(verdict.expected()).isEqualTo(36);
        assertThat(verdict.lost() + verdict.missing() + verdict.doubled() + verdict.phantom() + verdict.outOfOrder())
                .isZero();
    }

    @Test
    void expectedAndReceivedDeliveriesAreCounted() {
        visitor(stay(1020, 1060, 5, 1, 9));
        missed(1, 5);
        received.get(2).add(7, 5);
        Verdict verdict = verdict();
        assertThat(verdict.expected()).as("of members and of the visitor").isEqualTo(36 + 4);
        assertThat(verdict.received()).isEqualTo(36 - 1 + 1 + 3);
        assertThat(verdict.missing()).isEqualTo(2);
        assertThat(verdict.doubled()).isEqualTo(1);
    }

    @Test
    void swappedTextsCountOncePerViolatedOrder() {
        Collections.swap(received.get(0), 3, 4);
        assertThat(verdict().outOfOrder())
                .as("than the room's and than the stored one")
                .isEqualTo(2);
        assertThat(verdict().expected()).isEqualTo(36);
    }

    @Test
    void textFilledFromStorageIsExpectedButNotReceived() {
        gaps.get(1).add(new Gap(4, positionOf(5), positionOf(9)));
        missed(1, 1);
        missed(1, 9);
        assertThat(verdict().expected() - verdict().received()).isEqualTo(2);
        assertThat(verdict().missing()).isZero();
    }

    @Test
    void withoutStorageItsChecksAreSkippedAndTheOthersMade() {
        askStorage = false;
        assertThat(verdict().passed()).isTrue();
        assertThat(verdict().checks())
                .filteredOn(check -> check.status() == Status.SKIPPED)
                .hasSize(8);
    }

    @Test
    void anAcceptedTextWithoutRowIsLost() {
        noRow(5);
        flagged("accepted is stored", 1);
        assertThat(verdict().lost()).isEqualTo(1);
    }

    @Test
    void aTextThatOneMemberMissedIsFlagged() {
        missed(1, 5);
        flagged("every member received every TEXT", 1);
    }

    @Test
    void aTextThatEverybodyMissedIsFlaggedForEach() {
        for (int user = 0; user < 3; user++) missed(user, 5);
        flagged("every member received every TEXT", 3);
    }

    @Test
    void aDoubledRowIsFlagged() {
        rows.add(new Row(5, 9999));
        assertThat(failed()).containsExactly("rows are unique", "positions told are positions stored");
        assertThat(count("rows are unique")).isEqualTo(1);
        assertThat(verdict().doubled()).isEqualTo(1);
        assertThat(verdict().outOfOrder())
                .as("at another position than members saw")
                .isEqualTo(1);
    }

    @Test
    void aDoubledDeliveryIsFlagged() {
        received.get(2).add(7, 5);
        flagged("nobody received a TEXT twice", 1);
        received.get(1).add(7, 5);
        flagged("nobody received a TEXT twice", 2);
    }

    @Test
    void aPhantomDeliveryIsFlagged() {
        phantoms = 1;
        flagged("nobody received what was not sent", 1);
        assertThat(verdict().phantom()).isEqualTo(1);
    }

    @Test
    void aDeliveryOfWhatWasNeverSentIsFlagged() {
        outcomes[11] = Outcome.NOT_SENT;
        noRow(11);
        missed(0, 11);
        missed(1, 11);
        assertThat(failed()).containsExactly("every TEXT was accepted", "nobody received what was not sent");
    }

    @Test
    void aPhantomRowIsFlagged() {
        foreignRows = 1;
        flagged("nothing is stored that was not sent", 1);
        assertThat(verdict().phantom()).isEqualTo(1);
    }

    @Test
    void aRowOfAnotherTextOrSenderIsFlagged() {
        alteredRows = 1;
        flagged("rows hold what was sent", 1);
    }

    @Test
    void rowsOutOfOrderAreFlagged() {
        rows.add(3, rows.remove(4));
        assertThat(failed()).containsExactly("rows ascend by position", "that order is the stored one");
    }

    @Test
    void aPairThatOneMemberSawSwappedIsFlagged() {
        Collections.swap(received.get(0), 3, 4);
        assertThat(failed()).containsExactly("that order is the stored one", "all members of a room saw one order");
        assertThat(count("all members of a room saw one order")).isEqualTo(1);
        assertThat(count("that order is the stored one")).isEqualTo(1);
    }

    @Test
    void membersMaySeeDifferentOrdersWithoutThePromiseOfOneOrder() {
        askStorage = false;
        allowed = new Allowed(false, false, true);
        Collections.swap(
                received.get(0), received.get(0).indexOf(1), received.get(0).indexOf(5));
        assertThat(verdict().passed()).as(verdict().toString()).isTrue();
        assertThat(verdict().checks())
                .filteredOn(check -> check.name().equals("all members of a room saw one order"))
                .singleElement()
                .satisfies(check -> assertThat(check.status()).isEqualTo(Status.SKIPPED));
    }

    @Test
    void sendersOrderIsCheckedWithoutThePromiseOfOneOrder() {
        askStorage = false;
        allowed = new Allowed(false, false, true);
        for (int user : new int[] {0, 2}) {
            List<Integer> order = received.get(user);
            Collections.swap(order, order.indexOf(1), order.indexOf(2));
        }
        flagged("each sender's own order was kept", 2);
    }

    @Test
    void aPairThatIsStoredSwappedIsFlagged() {
        rows.set(3, new Row(1, positionOf(5)));
        rows.set(4, new Row(5, positionOf(1)));
        assertThat(failed()).containsExactly("that order is the stored one", "positions told are positions stored");
    }

    @Test
    void aSendersOwnPairSwappedIsFlagged() {
        Collections.swap(log, log.indexOf(1), log.indexOf(2));
        happensAsLogged();
        flagged("each sender's own order was kept", 2); // in storage and at the members
        assertThat(verdict().outOfOrder()).isEqualTo(2);
    }

    @Test
    void theOrderOfWhatWasSentAgainIsFree() {
        Collections.swap(log, log.indexOf(1), log.indexOf(2));
        happensAsLogged();
        resent.set(1);
        assertThat(verdict().passed()).isTrue();
    }

    @Test
    void aRefusedTextThatIsStoredIsFlagged() {
        outcomes[11] = Outcome.REFUSED;
        for (int user = 0; user < 3; user++) missed(user, 11);
        assertThat(failed()).containsExactly("every TEXT was accepted", "refused is not stored");
    }

    @Test
    void aRefusedTextThatSomebodyReceivedIsFlagged() {
        outcomes[11] = Outcome.REFUSED;
        noRow(11);
        missed(0, 11);
        assertThat(failed()).containsExactly("every TEXT was accepted", "nobody received what was refused");
    }

    @Test
    void aRefusedTextThatIsNowhereIsOnlyNotAccepted() {
        outcomes[11] = Outcome.REFUSED;
        noRow(11);
        for (int user = 0; user < 3; user++) missed(user, 11);
        flagged("every TEXT was accepted", 1);
        assertThat(verdict().refused()).isEqualTo(1);
        assertThat(verdict().invoked()).isEqualTo(12);
    }

    @Test
    void anUnknownTextMayBeStored() {
        outcomes[11] = Outcome.UNKNOWN;
        flagged("every TEXT was accepted", 1);
        assertThat(verdict().invoked()).isEqualTo(12);
        assertThat(verdict().unknown()).isEqualTo(1);
        assertThat(verdict().recovered()).isEqualTo(1);
    }

    @Test
    void anUnknownTextThatIsStoredHasToReachEverybody() {
        outcomes[11] = Outcome.UNKNOWN;
        missed(0, 11);
        assertThat(failed()).containsExactly("every TEXT was accepted", "every member received every TEXT");
        missed(1, 11);
        missed(2, 11);
        assertThat(count("every member received every TEXT")).isEqualTo(3);
    }

    @Test
    void withoutStorageAnAcceptedTextHasToReachEverybody() {
        askStorage = false;
        for (int user = 0; user < 3; user++) missed(user, 11);
        flagged("every member received every TEXT", 3);
    }

    @Test
    void anUnknownTextThatOneMemberReceivedHasToReachEverybody() {
        askStorage = false;
        outcomes[11] = Outcome.UNKNOWN;
        missed(0, 11);
        assertThat(failed()).containsExactly("every TEXT was accepted", "every member received every TEXT");
        assertThat(count("every member received every TEXT")).isEqualTo(1);
    }

    @Test
    void anUnknownTextMayBeNowhere() {
        outcomes[11] = Outcome.UNKNOWN;
        noRow(11);
        for (int user = 0; user < 3; user++) missed(user, 11);
        flagged("every TEXT was accepted", 1);
    }

    @Test
    void aPositionToldThatIsNotTheStoredOneIsFlagged() {
        announced[5]++;
        flagged("positions told are positions stored", 1);
    }

    @Test
    void aGapThatHistoryFillsPasses() {
        gaps.get(1).add(new Gap(4, positionOf(5), positionOf(9)));
        missed(1, 1);
        missed(1, 9);
        assertThat(verdict().passed()).as(verdict().toString()).isTrue();
    }

    @Test
    void aGapThatLeavesSomethingOutIsFlagged() {
        gaps.get(1).add(new Gap(4, positionOf(5), positionOf(1)));
        missed(1, 1);
        missed(1, 9);
        flagged("history fills every GAP", 1);
    }

    @Test
    void aGapDoesNotExcuseDoubles() {
        gaps.get(1).add(new Gap(4, positionOf(5), positionOf(9)));
        flagged("nobody received a TEXT twice", 2);
    }

    @Test
    void anEarlyEndAndViolationsAreFlagged() {
        aborted.add("nothing moved");
        violations.add("sent nonsense");
        assertThat(failed()).containsExactly("the run came to its end", "servers kept to the protocol");
        assertThat(examples("the run came to its end")).containsExactly("nothing moved");
    }

    @Test
    void everyFaultNamesItsRoom() {
        outcomes[9] = Outcome.UNKNOWN;
        outcomes[10] = Outcome.NOT_SENT;
        outcomes[11] = Outcome.REFUSED;
        phantoms = 1;
        foreignRows = 1;
        alteredRows = 1;
        announced[5]++;
        noRow(0);
        missed(1, 4);
        Collections.swap(received.get(0), 3, 4);
        received.get(0).add(6, 5);
        Collections.swap(rows, 0, 5);
        rows.add(new Row(1, positionOf(1)));
        for (String name : failed())
            assertThat(examples(name)).as(name).isNotEmpty().allMatch(example -> example.contains("r1-0"));
        assertThat(failed()).hasSize(15);
    }

    @Test
    void violationsThatAreNotListedAreCounted() {
        violations.add("sent nonsense");
        violationsNotListed = 41;
        flagged("servers kept to the protocol", 42);
        assertThat(examples("servers kept to the protocol")).containsExactly("sent nonsense", "and more");
    }

    @Test
    void atMostFiveExamplesAreKept() {
        for (int number = 0; number < 6; number++) announced[number]++;
        flagged("positions told are positions stored", 6);
        assertThat(examples("positions told are positions stored")).hasSize(5);
    }

    @Test
    void rowsAtTheSamePositionAreFlagged() {
        announced[8] = positionOf(4);
        rows.set(2, new Row(8, positionOf(4)));
        flagged("rows ascend by position", 1);
        assertThat(verdict().outOfOrder()).isEqualTo(1);
    }

    @Test
    void aPositionThatWasNotToldIsNoFault() {
        announced[5] = 0;
        assertThat(verdict().passed()).as(verdict().toString()).isTrue();
    }

    @Test
    void aGapDoesNotContainThePositionBeforeIt() {
        gaps.get(1).add(new Gap(4, positionOf(1), positionOf(9)));
        missed(1, 1);
        missed(1, 9);
        flagged("history fills every GAP", 1);
        assertThat(verdict().missing()).isEqualTo(1);
    }

    @Test
    void aGapIsFilledWhereItWas() {
        gaps.get(1).add(new Gap(6, positionOf(5), positionOf(9)));
        missed(1, 1);
        missed(1, 9);
        assertThat(failed()).contains("that order is the stored one");
    }

    @Test
    void visitorReceivesTheTextsOfItsStayOnly() {
        visitor(stay(1020, 1060, 5, 1, 9, 2));
        visitor(stay(1025, 1065, 5, 1, 9, 2));
        visitor(stay(1080, Long.MAX_VALUE, 3, 7, 11));
        visitor(stay(1030, 1035));
        visitor();
        assertThat(verdict().passed()).as(verdict().toString()).isTrue();
        assertThat(verdict().received()).isEqualTo(36 + 4 + 4 + 3);
        assertThat(verdict().expected()).isEqualTo(36 + 4 + 4 + 3);
    }

    @Test
    void textMissingInTheMiddleOfAStayIsFlagged() {
        visitor(stay(1020, 1060, 5, 1, 2));
        flagged("every member received every TEXT", 1);
        assertThat(example("every member received every TEXT"))
                .contains("user 3 in r1-0 lacks 1, the first TEXT 1 of user 2");
    }

    @Test
    void textMissingRightAfterWelcomeIsFlagged() {
        visitor(stay(1020, 1060, 1, 9, 2));
        flagged("every member received every TEXT", 1);
    }

    @Test
    void textMissingRightBeforeTheEndOfAStayIsFlagged() {
        visitor(stay(1020, 1060, 5, 1, 9));
        flagged("every member received every TEXT", 1);
    }

    @Test
    void aVisitorThatHeardNothingLacksAllOfItsStay() {
        visitor(stay(1020, 1060));
        flagged("every member received every TEXT", 4);
    }

    @Test
    void withoutStorageThePositionsToldSayWhatBelongsToAStay() {
        askStorage = false;
        visitor(stay(1020, 1060, 1, 9));
        flagged("every member received every TEXT", 2);
    }

    @Test
    void textWithoutAPositionIsExpectedOnlyIfItSurelyBelongsToTheStay() {
        askStorage = false;
        // Between 8 at 1020 and 9 at 1050 stand 5 and 1, wherever that is.
        announced[5] = 0;
        announced[1] = 0;
        visitor(stay(1030, 1060, 9, 2));
        visitor(stay(1020, 1040));
        assertThat(verdict().passed()).as(verdict().toString()).isTrue();
        visitor(stay(1015, 1055, 8, 9));
        flagged("every member received every TEXT", 2);
    }

    @Test
    void withoutAnyPositionWhatStandsBetweenTwoReceivedIsExpected() {
        askStorage = false;
        Arrays.fill(announced, 0);
        visitor(stay(-1, Long.MAX_VALUE, 5, 1, 9, 2));
        assertThat(verdict().passed()).as(verdict().toString()).isTrue();
        visitor(stay(-1, Long.MAX_VALUE, 5, 9, 2));
        flagged("every member received every TEXT", 1);
    }

    @Test
    void eachOfSeveralStaysIsJudged() {
        visitor(stay(1005, 1025, 4, 8), stay(1055, 1075, 2, 10));
        assertThat(verdict().passed()).as(verdict().toString()).isTrue();
        visitor(stay(1005, 1025, 4, 8), stay(1055, 1075, 10));
        flagged("every member received every TEXT", 1);
    }

    @Test
    void textRepeatedInALaterStayIsADuplicate() {
        visitor(stay(1005, 1025, 4, 8), stay(1055, 1075, 8, 2, 10));
        flagged("nobody received a TEXT twice", 1);
    }

    @Test
    void aVisitorThatSeesAnotherOrderIsFlagged() {
        visitor(stay(1020, 1060, 5, 9, 1, 2));
        assertThat(failed()).containsExactly("that order is the stored one", "all members of a room saw one order");
        askStorage = false;
        flagged("all members of a room saw one order", 1);
    }

    @Test
    void visitorsThatHeardNothingAreNoMeasureForTheOthers() {
        askStorage = false;
        for (int i = 0; i < 5; i++) visitor(stay(2000, 3000));
        Collections.swap(received.get(0), 3, 4);
        flagged("all members of a room saw one order", 1);
        missed(1, 9);
        assertThat(failed()).contains("every member received every TEXT");
    }

    @Test
    void longestStayDefinesTheOrderIfNoMemberWasPresentThroughout() {
        askStorage = false;
        received.clear();
        visitor(stay(-1, 1060, 0, 4, 8, 5, 1, 9, 2));
        visitor(stay(1015, Long.MAX_VALUE, 8, 5, 1, 9, 2, 10, 6, 3, 7, 11));
        visitor(stay(1025, 1075, 5, 1, 2, 9, 10));
        visitor(stay(1055, 1095, 2, 6, 10, 3));
        visitor();
        visitor();
        visitor();
        flagged("all members of a room saw one order", 2);
    }

    @Test
    void aGapWithinAStayIsFilledFromStorage() {
        visitor(new Stay(new int[] {5, 2}, 0, 2, List.of(new Gap(1, 1035, 1055)), 1020, 1060, false));
        assertThat(verdict().passed()).as(verdict().toString()).isTrue();
        visitor(new Stay(new int[] {5, 2}, 0, 2, List.of(new Gap(1, 1035, 1045)), 1020, 1060, false));
        flagged("history fills every GAP", 1);
    }

    @Test
    void sameMissingTextCountsForEachMember() {
        missed(1, 5);
        missed(2, 5);
        flagged("every member received every TEXT", 2);
    }

    @Test
    void textNotSentForLackOfTimeIsNoFault() {
        allowed = new Allowed(true, false, false);
        notSent(11);
        assertThat(verdict().passed()).as(verdict().toString()).isTrue();
        assertThat(verdict().invoked()).isEqualTo(11);
        outcomes[3] = Outcome.REFUSED;
        for (int user = 0; user < 3; user++) missed(user, 3);
        noRow(3);
        flagged("every TEXT was accepted", 1);
    }

    @Test
    void textNeverSentMustBeNeitherStoredNorReceived() {
        allowed = new Allowed(true, false, false);
        outcomes[11] = Outcome.NOT_SENT;
        assertThat(failed())
                .containsExactly("nothing is stored that was not sent", "nobody received what was not sent");
    }

    @Test
    void textRejectedByALimitMustBeNeitherStoredNorReceived() {
        allowed = new Allowed(false, true, false);
        outcomes[11] = Outcome.REFUSED;
        assertThat(failed()).containsExactly("refused is not stored", "nobody received what was refused");
        noRow(11);
        for (int user = 0; user < 3; user++) missed(user, 11);
        assertThat(verdict().passed()).as(verdict().toString()).isTrue();
        assertThat(verdict().refused()).isEqualTo(1);
        notSent(7);
        flagged("every TEXT was accepted", 1);
    }

    @Test
    void unansweredTextIsAlwaysAFault() {
        allowed = new Allowed(true, true, true);
        outcomes[11] = Outcome.UNKNOWN;
        flagged("every TEXT was accepted", 1);
    }

    private void notSent(int number) {
        outcomes[number] = Outcome.NOT_SENT;
        noRow(number);
        for (int user = 0; user < 3; user++) missed(user, number);
    }

    private void visitor(Stay... stays) {
        visitors.add(new MemberHistory(List.of(stays)));
    }

    private static Stay stay(long from, long until, int... order) {
        return new Stay(order, 0, order.length, List.of(), from, until, false);
    }

    private String example(String name) {
        return examples(name).getFirst();
    }

    private List<String> examples(String name) {
        return verdict().checks().stream()
                .filter(check -> check.name().equals(name))
                .flatMap(check -> check.examples().stream())
                .toList();
    }

    private void missed(int user, int number) {
        received.get(user).remove(Integer.valueOf(number));
    }

    private void noRow(int number) {
        rows.removeIf(row -> row.number() == number);
    }

    private Verdict verdict() {
        List<MemberHistory> members = new ArrayList<>();
        for (int user = 0; user < received.size(); user++) {
            int[] order =
                    received.get(user).stream().mapToInt(Integer::intValue).toArray();
            members.add(MemberHistory.whole(order, order.length, gaps.get(user)));
        }
        members.addAll(visitors);
        StoredRoom stored = new StoredRoom(
                rows.stream().mapToInt(Row::number).toArray(),
                rows.stream().mapToLong(Row::position).toArray(),
                foreignRows,
                alteredRows);
        RoomHistory room =
                new RoomHistory("r1-0", 0, outcomes, resent, announced, phantoms, members, askStorage ? stored : null);
        return Checker.check(new RunHistory(
                NUMBERING, allowed, List.of(room), aborted, violations, violations.size() + violationsNotListed));
    }

    private void flagged(String name, int count) {
        assertThat(verdict().passed()).isFalse();
        assertThat(failed()).containsExactly(name);
        assertThat(count(name)).isEqualTo(count);
    }

    private long count(String name) {
        return verdict().checks().stream()
                .filter(check -> check.name().equals(name))
                .mapToLong(Check::count)
                .sum();
    }

    private List<String> failed() {
        return verdict().checks().stream()
                .filter(check -> check.status() == Status.FAIL)
                .map(Check::name)
                .toList();
    }
}

package chat.load.check;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.check.MemberHistory.Stay;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Six TEXTs in the order 3 0 5 1 4 2, at 10, 20 … 60 where their positions are known. */
class TextPositionsTest {
    private static final int[] ORDER = {3, 0, 5, 1, 4, 2};
    private static final long[] POSITIONS = {10, 20, 30, 40, 50, 60};
    private static final int TEXTS = 6;

    private final TextPositions stored = TextPositions.stored(new StoredRoom(ORDER, POSITIONS, 0, 0), TEXTS);

    @Test
    void memberPresentThroughoutMustReceiveAllKnownTexts() {
        MemberHistory whole = MemberHistory.whole(new int[] {}, 0, List.of());
        assertThat(stored.expectedBy(whole, numbers(1, 2, 3))).isEqualTo(numbers(1, 2, 3));
    }

    @Test
    void aStayHasWhatIsStoredAfterItsBeginningUpToItsEnd() {
        assertThat(expected(stored, stay(10, 40))).isEqualTo(numbers(0, 5, 1));
        assertThat(expected(stored, stay(9, 39))).isEqualTo(numbers(3, 0, 5));
        assertThat(expected(stored, stay(60, Long.MAX_VALUE))).isEqualTo(numbers());
        assertThat(expected(stored, stay(0, Long.MAX_VALUE))).isEqualTo(numbers(0, 1, 2, 3, 4, 5));
        assertThat(expected(stored, stay(40, 40))).isEqualTo(numbers());
    }

    @Test
    void onlyWhatIsKnownToExistIsExpected() {
        MemberHistory member = new MemberHistory(List.of(stay(10, 40)));
        assertThat(stored.expectedBy(member, numbers(0, 2))).isEqualTo(numbers(0));
    }

    @Test
    void severalStaysAddUp() {
        assertThat(expected(stored, stay(10, 20), stay(50, Long.MAX_VALUE))).isEqualTo(numbers(0, 2));
        assertThat(expected(stored, stay(10, 20), new Stay(new int[] {}, 0, 0, List.of(), 50, 60, true)))
                .isEqualTo(numbers(0, 1, 2, 3, 4, 5));
        assertThat(expected(stored)).isEqualTo(numbers());
    }

    @Test
    void withoutPositionsAStayHasWhatStandsBetweenTwoThatItReceived() {
        TextPositions known = TextPositions.announced(ORDER, new long[TEXTS]);
        assertThat(expected(known, stay(-1, Long.MAX_VALUE, 0, 4))).isEqualTo(numbers(0, 5, 1, 4));
        // In any order of arrival.
        assertThat(expected(known, stay(-1, Long.MAX_VALUE, 4, 0))).isEqualTo(numbers(0, 5, 1, 4));
        assertThat(expected(known, stay(-1, Long.MAX_VALUE, 5))).isEqualTo(numbers(5));
        assertThat(expected(known, stay(-1, Long.MAX_VALUE))).isEqualTo(numbers());
    }

    @Test
    void unknownPositionsLieBetweenAnnouncedOnes() {
        // 0 at 20 and 4 at 50: 5 and 1 are above 20 and at most 50, 3 is anywhere below, 2 anywhere above.
        TextPositions known = TextPositions.announced(ORDER, announced(0, 20, 4, 50));
        assertThat(expected(known, stay(20, 50))).isEqualTo(numbers(5, 1, 4));
        assertThat(expected(known, stay(21, 50))).isEqualTo(numbers(4));
        assertThat(expected(known, stay(20, 49))).isEqualTo(numbers());
        assertThat(expected(known, stay(0, 30))).isEqualTo(numbers(0));
        assertThat(expected(known, stay(0, Long.MAX_VALUE))).isEqualTo(numbers(0, 5, 1, 4, 2));
        assertThat(expected(known, stay(50, Long.MAX_VALUE))).isEqualTo(numbers(2));
        // Received messages narrow the range.
        assertThat(expected(known, stay(21, 49, 5))).isEqualTo(numbers(5));
        assertThat(expected(known, stay(21, 49, 5, 1))).isEqualTo(numbers(5, 1));
    }

    @Test
    void textSurelyOutsideIsNotExpectedBetweenTwoReceivedTexts() {
        // 3 was received again, long after its time: that is a fault of its own.
        assertThat(expected(stored, stay(40, 60, 3, 4, 2))).isEqualTo(numbers(4, 2));
    }

    @Test
    void textWithoutAnyPositionIsNotExpected() {
        TextPositions known = TextPositions.stored(new StoredRoom(new int[] {3, 0}, new long[] {10, 20}, 0, 0), TEXTS);
        assertThat(expected(known, stay(0, Long.MAX_VALUE, 5, 1))).isEqualTo(numbers(3, 0));
    }

    @Test
    void aRowThatIsThereTwiceStandsWhereItIsFirst() {
        TextPositions known =
                TextPositions.stored(new StoredRoom(new int[] {3, 0, 3}, new long[] {10, 20, 30}, 0, 0), TEXTS);
        assertThat(expected(known, stay(-1, 20, 3, 0))).isEqualTo(numbers(3, 0));
    }

    @Test
    void allTextsAreExaminedIfTheStoredOrderIsBroken() {
        long[] positions = {10, 50, 30, 40, 20, 60};
        TextPositions known = TextPositions.stored(new StoredRoom(ORDER, positions, 0, 0), TEXTS);
        assertThat(expected(known, stay(10, 40))).isEqualTo(numbers(5, 1, 4));
        assertThat(expected(known, stay(45, 55))).isEqualTo(numbers(0));
    }

    private static BitSet expected(TextPositions known, Stay... stays) {
        return known.expectedBy(new MemberHistory(List.of(stays)), numbers(0, 1, 2, 3, 4, 5));
    }

    private static Stay stay(long from, long until, int... received) {
        return new Stay(received, 0, received.length, List.of(), from, until, false);
    }

    private static long[] announced(int number, long position, int other, long itsPosition) {
        long[] announced = new long[TEXTS];
        announced[number] = position;
        announced[other] = itsPosition;
        return announced;
    }

    private static BitSet numbers(int... numbers) {
        BitSet set = new BitSet();
        for (int number : numbers) set.set(number);
        return set;
    }
}

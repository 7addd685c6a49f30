package chat.load.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MarksTest {
    private final Marks marks = new Marks();

    @Test
    void nothingIsStoredOfNothing() {
        assertThat(marks.lastPosition()).isZero();
        assertThat(marks.stored()).isZero();
        assertThat(marks.storedThrough(Long.MAX_VALUE)).isZero();
    }

    @Test
    void aMarkIsStoredOnceItsPositionIs() {
        marks.add(10, 3);
        marks.add(20, 4);
        assertThat(marks.lastPosition()).isEqualTo(20);
        assertThat(marks.storedThrough(9)).isZero();
        assertThat(marks.storedThrough(10)).isEqualTo(3);
        assertThat(marks.storedThrough(19)).isEqualTo(3);
        assertThat(marks.storedThrough(25)).isEqualTo(4);
        assertThat(marks.stored()).isEqualTo(4);
    }

    @Test
    void severalMarksAreStoredAtOnce() {
        for (int i = 1; i <= 10; i++) marks.add(10L * i, i);
        assertThat(marks.storedThrough(75)).isEqualTo(7);
    }

    @Test
    void whatWasStoredStaysSoWhenAnOlderAnswerComesLate() {
        marks.add(10, 3);
        marks.add(20, 4);
        marks.storedThrough(20);
        assertThat(marks.storedThrough(10)).isEqualTo(4);
        // Nothing of the room's partition is stored, says a server that has just started.
        assertThat(marks.storedThrough(-1)).isEqualTo(4);
    }

    @Test
    void aMarkAddedBelowWhatIsStoredCountsFromTheNextTimeThatIsHeard() {
        marks.add(10, 3);
        marks.storedThrough(100);
        marks.add(20, 5);
        assertThat(marks.stored()).isEqualTo(3);
        assertThat(marks.storedThrough(100)).isEqualTo(5);
    }

    @Test
    void thereIsRoomForAllMarksOfALongRun() {
        for (int i = 1; i <= 10_000; i++) marks.add(i, 2 * i);
        assertThat(marks.lastPosition()).isEqualTo(10_000);
        assertThat(marks.storedThrough(9_999)).isEqualTo(2 * 9_999);
    }
}

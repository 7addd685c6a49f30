package chat.load.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PositionIndexTest {
    private final PositionIndex positions = new PositionIndex();

    @Test
    void nothingIsStoredWithoutEntries() {
        assertThat(positions.lastPosition()).isZero();
        assertThat(positions.stored()).isZero();
        assertThat(positions.storedThrough(Long.MAX_VALUE)).isZero();
    }

    @Test
    void entryIsStoredOnceItsPositionIsStored() {
        positions.add(10, 3);
        positions.add(20, 4);
        assertThat(positions.lastPosition()).isEqualTo(20);
        assertThat(positions.storedThrough(9)).isZero();
        assertThat(positions.storedThrough(10)).isEqualTo(3);
        assertThat(positions.storedThrough(19)).isEqualTo(3);
        assertThat(positions.storedThrough(25)).isEqualTo(4);
        assertThat(positions.stored()).isEqualTo(4);
    }

    @Test
    void severalEntriesAreStoredAtOnce() {
        for (int i = 1; i <= 10; i++) positions.add(10L * i, i);
        assertThat(positions.storedThrough(75)).isEqualTo(7);
    }

    @Test
    void storedEntriesStayStoredAfterAnOlderPosition() {
        positions.add(10, 3);
        positions.add(20, 4);
        positions.storedThrough(20);
        assertThat(positions.storedThrough(10)).isEqualTo(4);
        // Nothing of the room's partition is stored, says a server that has just started.
        assertThat(positions.storedThrough(-1)).isEqualTo(4);
    }

    @Test
    void entryBelowTheStoredPositionIsStoredAtTheNextUpdate() {
        positions.add(10, 3);
        positions.storedThrough(100);
        positions.add(20, 5);
        assertThat(positions.stored()).isEqualTo(3);
        assertThat(positions.storedThrough(100)).isEqualTo(5);
    }

    @Test
    void indexGrowsWithALongRun() {
        for (int i = 1; i <= 10_000; i++) positions.add(i, 2 * i);
        assertThat(positions.lastPosition()).isEqualTo(10_000);
        assertThat(positions.storedThrough(9_999)).isEqualTo(2 * 9_999);
    }
}

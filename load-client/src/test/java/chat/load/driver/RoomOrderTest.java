package chat.load.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class RoomOrderTest {
    private final RoomOrder order = new RoomOrder(6);

    @Test
    void eachNumberStandsWhereItWasFirstSeen() {
        assertThat(order.append(4)).isTrue();
        assertThat(order.append(0)).isTrue();
        assertThat(order.append(4)).isFalse();
        assertThat(order.append(5)).isTrue();
        assertThat(Arrays.copyOf(order.numbers(), order.size())).containsExactly(4, 0, 5);
        assertThat(order.indexOf(4)).isZero();
        assertThat(order.indexOf(0)).isEqualTo(1);
        assertThat(order.indexOf(5)).isEqualTo(2);
        assertThat(order.indexOf(1)).isEqualTo(-1);
    }

    @Test
    void allNumbersFitAndNoneComesTwice() {
        for (int number = 5; number >= 0; number--)
            assertThat(order.append(number)).isTrue();
        for (int number = 0; number < 6; number++)
            assertThat(order.append(number)).isFalse();
        assertThat(order.numbers()).containsExactly(5, 4, 3, 2, 1, 0);
    }

    @Test
    void aBatchMatchesAsFarAsItIsWhatFollows() {
        for (int number : new int[] {4, 0, 5, 2}) order.append(number);
        assertThat(order.matches(0, new int[] {4, 0, 5})).isEqualTo(3);
        assertThat(order.matches(1, new int[] {0, 5, 2})).isEqualTo(3);
        assertThat(order.matches(1, new int[] {0, 2, 5})).isEqualTo(1);
        assertThat(order.matches(1, new int[] {4})).isZero();
    }

    @Test
    void aBatchMatchesNoFurtherThanTheOrderGoes() {
        for (int number : new int[] {4, 0}) order.append(number);
        // 0 is what unused entries of the array hold, too.
        assertThat(order.matches(1, new int[] {0, 0, 0})).isEqualTo(1);
        assertThat(order.matches(2, new int[] {0})).isZero();
        assertThat(order.matches(0, new int[] {})).isZero();
    }

    @Test
    void aRoomInWhichNobodySpeaksHasAnEmptyOrder() {
        RoomOrder silent = new RoomOrder(0);
        assertThat(silent.size()).isZero();
        assertThat(silent.matches(0, new int[] {})).isZero();
    }
}

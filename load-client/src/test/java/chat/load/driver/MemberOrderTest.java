package chat.load.driver;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.check.MemberHistory;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class MemberOrderTest {
    private final RoomOrder room = new RoomOrder(10);
    private final MemberOrder first = new MemberOrder(room, 10);
    private final MemberOrder second = new MemberOrder(room, 10);

    @Test
    void membersThatAgreeShareOneList() {
        assertThat(first.receive(new int[] {3, 1, 4})).isEqualTo(3);
        assertThat(second.receive(new int[] {3})).isEqualTo(1);
        assertThat(second.receive(new int[] {1, 4, 5})).isEqualTo(3);
        assertThat(first.receive(new int[] {5, 9})).isEqualTo(2);
        assertThat(list(first)).containsExactly(3, 1, 4, 5, 9);
        assertThat(list(second)).containsExactly(3, 1, 4, 5);
        assertThat(first.history().order()).isSameAs(second.history().order());
    }

    @Test
    void aMemberThatDiffersKeepsItsOwnList() {
        first.receive(new int[] {3, 1, 4, 5});
        second.receive(new int[] {3, 1});
        assertThat(second.receive(new int[] {5, 4, 4})).isEqualTo(2);
        assertThat(second.receive(new int[] {9})).isEqualTo(1);
        assertThat(list(first)).containsExactly(3, 1, 4, 5);
        assertThat(list(second)).containsExactly(3, 1, 5, 4, 4, 9);
        assertThat(second.distinct()).isEqualTo(5);
    }

    @Test
    void aDoubleAtTheEndOfTheSharedListIsKept() {
        first.receive(new int[] {3, 1});
        assertThat(first.receive(new int[] {1})).isZero();
        assertThat(first.receive(new int[] {2})).isEqualTo(1);
        assertThat(list(first)).containsExactly(3, 1, 1, 2);
        assertThat(second.receive(new int[] {3, 1, 2})).isEqualTo(3);
        assertThat(list(second)).containsExactly(3, 1, 2);
    }

    @Test
    void aDoubleWithinOneFrameIsKept() {
        assertThat(first.receive(new int[] {3, 3, 1})).isEqualTo(2);
        assertThat(list(first)).containsExactly(3, 3, 1);
    }

    @Test
    void endlessRepetitionDoesNotFillTheHeap() {
        int[] again = new int[1000];
        for (int i = 0; i < 1000; i++) first.receive(again);
        assertThat(first.history().length()).isLessThan(1000);
        assertThat(first.distinct()).isEqualTo(1);
    }

    @Test
    void aGapStandsWhereItWasTold() {
        first.receive(new int[] {3});
        first.gap(10, 20);
        first.receive(new int[] {7});
        assertThat(first.hasGap()).isTrue();
        assertThat(first.history().gaps()).containsExactly(new MemberHistory.Gap(1, 10, 20));
    }

    private static int[] list(MemberOrder member) {
        MemberHistory history = member.history();
        return Arrays.copyOf(history.order(), history.length());
    }
}

package chat.load.driver;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.check.MemberHistory;
import chat.load.check.MemberHistory.Stay;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemberOrderTest {
    private final RoomOrder room = new RoomOrder(10);
    private final MemberOrder first = new MemberOrder(room, 10);
    private final MemberOrder second = new MemberOrder(room, 10);

    MemberOrderTest() {
        first.begin(-1, true);
        second.begin(-1, true);
    }

    @Test
    void membersThatAgreeShareOneList() {
        assertThat(first.receive(new int[] {3, 1, 4})).isEqualTo(3);
        assertThat(second.receive(new int[] {3})).isEqualTo(1);
        assertThat(second.receive(new int[] {1, 4, 5})).isEqualTo(3);
        assertThat(first.receive(new int[] {5, 9})).isEqualTo(2);
        assertThat(list(first)).containsExactly(3, 1, 4, 5, 9);
        assertThat(list(second)).containsExactly(3, 1, 4, 5);
        assertThat(stay(first).order()).isSameAs(stay(second).order());
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
        assertThat(stay(first).length()).isLessThan(1000);
        assertThat(first.distinct()).isEqualTo(1);
    }

    @Test
    void aGapStandsWhereItWasTold() {
        first.receive(new int[] {3});
        first.gap(10, 20);
        first.receive(new int[] {7});
        assertThat(first.hasGap()).isTrue();
        assertThat(stay(first).gaps()).containsExactly(new MemberHistory.Gap(1, 10, 20));
    }

    @Test
    void lateMemberThatReceivesFirstDoesNotSeparateTheOthers() {
        first.receive(new int[] {3, 1});
        MemberOrder early = new MemberOrder(room, 10);
        early.begin(77, false);
        assertThat(early.receive(new int[] {5})).isEqualTo(1);
        assertThat(first.receive(new int[] {4})).isEqualTo(1);
        assertThat(early.receive(new int[] {9})).isEqualTo(1);
        assertThat(first.receive(new int[] {5})).isEqualTo(1);
        assertThat(second.receive(new int[] {3, 1, 4, 5})).isEqualTo(4);
        assertThat(early.receive(new int[] {2})).isEqualTo(1);
        assertThat(first.receive(new int[] {9, 2})).isEqualTo(2);
        early.end(99);

        assertThat(list(first)).containsExactly(3, 1, 4, 5, 9, 2);
        assertThat(list(early)).containsExactly(5, 9, 2);
        assertThat(early.distinct()).isEqualTo(3);
        assertThat(stay(first).order())
                .isSameAs(stay(second).order())
                .isSameAs(stay(early).order());
    }

    @Test
    void memberWithAnUnsharedTextKeepsASeparateList() {
        first.receive(new int[] {3, 1});
        MemberOrder alone = new MemberOrder(room, 10);
        alone.begin(77, false);
        assertThat(alone.receive(new int[] {5, 5})).isEqualTo(1);
        alone.end(99);
        first.receive(new int[] {4, 5});
        assertThat(list(alone)).containsExactly(5, 5);
        assertThat(list(first)).containsExactly(3, 1, 4, 5);
    }

    @Test
    void orderContinuesIfNoMemberKnowsTheTextsBetween() {
        RoomOrder large = new RoomOrder(1000);
        MemberOrder gone = new MemberOrder(large, 1000);
        gone.begin(-1, true);
        gone.receive(new int[] {0});
        gone.end(7);
        MemberOrder one = new MemberOrder(large, 1000);
        MemberOrder other = new MemberOrder(large, 1000);
        one.begin(7, false);
        other.begin(7, false);
        for (int i = 1; i < 600; i++) {
            one.receive(new int[] {i});
            other.receive(new int[] {i});
        }
        assertThat(list(one)).hasSize(599);
        assertThat(stay(one).order()).isSameAs(stay(other).order());
    }

    @Test
    void lateMemberSharesTheRestOfTheOrder() {
        first.receive(new int[] {3, 1, 4, 5});
        MemberOrder late = new MemberOrder(room, 10);
        late.begin(77, false);
        assertThat(late.receive(new int[] {4, 5, 9})).isEqualTo(3);
        assertThat(first.receive(new int[] {9})).isEqualTo(1);
        assertThat(list(late)).containsExactly(4, 5, 9);
        assertThat(stay(late).order()).isSameAs(stay(first).order());
        assertThat(stay(late).from()).isEqualTo(77);
        assertThat(stay(late).whole()).isFalse();
    }

    @Test
    void staysAreKeptApart() {
        first.receive(new int[] {3, 1});
        first.end(50);
        second.receive(new int[] {3, 1, 4});
        first.begin(60, false);
        first.receive(new int[] {5});
        second.receive(new int[] {5});
        List<Stay> stays = first.history().stays();
        assertThat(stays).extracting(Stay::from).containsExactly(-1L, 60L);
        assertThat(stays).extracting(Stay::until).containsExactly(50L, Long.MAX_VALUE);
        assertThat(stays).extracting(Stay::length).containsExactly(2, 1);
        assertThat(list(first)).containsExactly(5);
        assertThat(stays).extracting(Stay::whole).containsOnly(false);
    }

    private static int[] list(MemberOrder member) {
        Stay stay = stay(member);
        return Arrays.copyOfRange(stay.order(), stay.offset(), stay.offset() + stay.length());
    }

    private static Stay stay(MemberOrder member) {
        return member.history().stays().getLast();
    }
}

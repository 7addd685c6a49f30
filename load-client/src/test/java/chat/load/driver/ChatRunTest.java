package chat.load.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole runs against a fake platform that lies and breaks as told. */
@Timeout(240)
class ChatRunTest extends AgainstFakeChat {
    @Test
    void aFaultlessRunPasses() throws Exception {
        run(3, 5, 6, 1);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(verdict.accepted()).isEqualTo(90);
        assertThat(verdict.stored()).isEqualTo(90);
        assertThat(verdict.received()).isEqualTo(450);
        assertThat(counters.copies.sum()).as("frames recognised by their bytes").isPositive();
    }

    @Test
    void aWiderWindowPasses() throws Exception {
        run(2, 4, 20, 8);
        assertThat(verdict.passed()).as(failures()).isTrue();
    }

    @Test
    void fragmentsAreJoined() throws Exception {
        faults.fragmented = true;
        run(2, 3, 4, 1);
        assertThat(verdict.passed()).as(failures()).isTrue();
    }

    @Test
    void unavailableTextIsRetriedUntilItIsAccepted() throws Exception {
        faults.unavailableJoins = 2;
        faults.unavailableTexts = 5;
        run(2, 3, 4, 1);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.retries.sum()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1001, 1012, 4100, 4200, 4201})
    void lostSocketsResumeElsewhereAndSendAgain(int closeCode) throws Exception {
        faults.dropAt = 25;
        faults.dropCode = closeCode;
        run(2, 6, 10, 2);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.reconnects.sum()).isPositive();
        assertThat(counters.resends.sum()).isPositive();
        assertThat(counters.gaps.sum()).isZero();
    }

    @Test
    void aServerThatIsGoneForEverIsReplacedByTheNext() throws Exception {
        faults.dropAt = 25;
        faults.dropForEver = true;
        run(2, 6, 10, 2);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.reconnects.sum()).isPositive();
    }

    @Test
    void aGapThatHistoryFillsIsReportedAndNoFailure() throws Exception {
        faults.dropAt = 25;
        faults.gapOnResume = true;
        run(1, 6, 10, 2);
        assertThat(verdict.passed()).as(failures()).isTrue();
        assertThat(counters.gaps.sum()).isPositive();
    }

    @Test
    void aGapThatNothingFillsFails() throws Exception {
        faults.dropAt = 25;
        faults.gapOnResume = true;
        run(1, 6, 10, 2, false);
        assertThat(failed()).containsExactly("history fills every GAP");
    }

    @Test
    void aCloseCodeThatForbidsReconnectingEndsTheRun() throws Exception {
        faults.dropAt = 5;
        faults.dropCode = 4001;
        run(1, 4, 10, 1);
        assertThat(failed()).contains("the run came to its end");
        assertThat(failures()).contains("4001");
    }

    @Test
    void aRefusedUpgradeEndsTheRun() throws Exception {
        faults.upgradeStatus = 404;
        run(1, 2, 1, 1);
        assertThat(failed()).contains("the run came to its end");
        assertThat(failures()).contains("404");
        assertThat(counters.joined.sum()).isZero();
    }

    @Test
    void aDeliveryLostIsFlagged() throws Exception {
        faults.loseAtVictim = 9;
        run(1, 4, 5, 1);
        assertThat(failed()).contains("every member received every TEXT");
        assertThat(check("every member received every TEXT").count()).isEqualTo(1);
    }

    @Test
    void aDeliveryDoubledIsFlagged() throws Exception {
        faults.doubleAtVictim = 9;
        run(1, 4, 5, 1);
        assertThat(failed()).containsExactly("nobody received a TEXT twice");
    }

    @Test
    void twoDeliveriesSwappedAreFlagged() throws Exception {
        faults.swapAtVictim = 9;
        run(1, 6, 5, 4);
        assertThat(failed())
                .contains("all members of a room saw one order", "that order is the stored one")
                .doesNotContain("every member received every TEXT", "nobody received a TEXT twice");
    }

    @Test
    void aDeliveryThatNobodySentIsFlagged() throws Exception {
        faults.phantomDelivery = true;
        run(1, 4, 5, 1);
        assertThat(failed()).containsExactly("nobody received what was not sent");
        assertThat(check("nobody received what was not sent").count()).isEqualTo(4);
    }

    @Test
    void aRowLostIsFlagged() throws Exception {
        faults.loseRow = 9;
        run(1, 4, 5, 1);
        assertThat(failed()).containsExactly("accepted is stored");
    }

    @Test
    void aRowDoubledIsFlagged() throws Exception {
        faults.doubleRow = 9;
        run(1, 4, 5, 1);
        assertThat(failed()).containsExactly("rows are unique", "rows ascend by position");
    }

    @Test
    void aRowThatNobodySentIsFlagged() throws Exception {
        faults.phantomRow = true;
        run(1, 4, 5, 1);
        assertThat(failed()).containsExactly("nothing is stored that was not sent");
    }

    @Test
    void aRefusalIsCountedAndTheRestGoesOn() throws Exception {
        faults.refuse = 9;
        run(1, 4, 5, 1);
        assertThat(failed()).containsExactly("every TEXT was accepted");
        assertThat(verdict.refused()).isEqualTo(1);
        assertThat(verdict.accepted()).isEqualTo(19);
    }

    @Test
    void aRefusalThatIsStoredNeverthelessIsFlagged() throws Exception {
        faults.refuse = 9;
        faults.keepRefused = true;
        run(1, 4, 5, 1);
        assertThat(failed())
                .containsExactly(
                        "every TEXT was accepted", "refused is not stored", "nobody received what was refused");
    }

    private void run(int rooms, int users, int messages, int window) throws Exception {
        run(rooms, users, messages, window, true);
    }

    private void run(int rooms, int users, int messages, int window, boolean askStorage) throws Exception {
        run(PlanBuilder.of(rooms, users, messages).window(window).plan(), askStorage);
    }
}

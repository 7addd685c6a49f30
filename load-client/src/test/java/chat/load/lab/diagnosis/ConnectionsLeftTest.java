package chat.load.lab.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.check.Verdict.Check;
import chat.load.check.Verdict.Status;
import chat.load.report.Samples;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionsLeftTest {
    private static final int GONE = 3;

    private final Samples samples = new Samples();
    private final ConnectionsLeft left = new ConnectionsLeft(samples, GONE);
    private int second;

    @Test
    void equalCountsAtTheNextComparisonPass() {
        for (int i = 0; i <= GONE; i++) second("chat-1", 7, 40, 40);
        second("chat-1", 7, 0, 0);
        assertThat(left.isUndecided())
                .as("the system's figure may be from before the end")
                .isTrue();
        second("chat-1", 8, 0, 0);
        assertThat(left.isUndecided()).isFalse();
        assertThat(left.checks()).extracting(Check::status).containsOnly(Status.PASS);
    }

    @Test
    void differingCountsFailAtTheThirdComparison() {
        for (int looks = 7; looks < 10; looks++) {
            for (int i = 0; i < GONE + 1; i++) second("chat-1", looks, 2, 1);
            assertThat(left.isUndecided()).isTrue();
        }
        second("chat-1", 10, 2, 1);
        assertThat(left.isUndecided()).isFalse();
        assertThat(left.checks().getFirst())
                .isEqualTo(new Check(
                        ConnectionsLeft.AGREE,
                        Status.FAIL,
                        1,
                        List.of("chat-1 holds 2 connections, the operating system has 1")));
        assertThat(left.checks().getLast().status()).isEqualTo(Status.PASS);
    }

    /** Another client's connection that opens or closes between two checks is no leak. */
    @Test
    void oneLookAtWhichBothAgreeIsEnough() {
        second = GONE;
        second("chat-1", 7, 5, 4);
        second("chat-1", 8, 5, 4);
        second("chat-1", 9, 4, 4);
        assertThat(left.isUndecided()).isFalse();
        assertThat(left.checks()).extracting(Check::status).containsOnly(Status.PASS);
    }

    @Test
    void aPhantomFails() {
        second = GONE;
        second("chat-1", 7, 0, 0);
        samples.put(second, "chat-1.phantoms", 2);
        second("chat-1", 8, 0, 0);
        assertThat(left.checks().getLast())
                .isEqualTo(new Check(ConnectionsLeft.PHANTOMS, Status.FAIL, 1, List.of("chat-1 has found 2")));
    }

    @Test
    void moreSessionsThanConnectionsAreNoAgreement() {
        second = GONE;
        for (int looks = 1; looks < 5; looks++) {
            samples.put(second, "chat-1.sessions", 3);
            second("chat-1", looks, 1, 1);
        }
        assertThat(left.checks().getFirst().examples()).containsExactly("chat-1 has 3 sessions and 1 connections");
    }

    @Test
    void connectionHalfClosedAtThreeComparisonsFails() {
        samples.put(GONE - 1, "chat-1.closeWait", 9);
        assertThat(left.checks().get(1).status()).isEqualTo(Status.SKIPPED);
        samples.put(GONE, "chat-1.closeWait", 2);
        samples.put(GONE + 5, "chat-1.closeWait", 2);
        assertThat(left.isUndecided()).isTrue();
        samples.put(GONE + 10, "chat-1.closeWait", 3);
        assertThat(left.isUndecided()).isFalse();
        assertThat(left.checks().get(1))
                .isEqualTo(new Check(ConnectionsLeft.LET_GO, Status.FAIL, 1, List.of("chat-1 holds 2 (CLOSE_WAIT)")));
        samples.put(GONE + 15, "chat-1.closeWait", 0);
        assertThat(left.checks().get(1).status()).isEqualTo(Status.PASS);
    }

    @Test
    void eachServerIsJudged() {
        second = GONE;
        for (int looks = 1; looks < 5; looks++) {
            samples.put(second, "chat-2.audits", looks);
            samples.put(second, "chat-2.connections", 3);
            samples.put(second, "chat-2.connectionsKernel", 0);
            second("chat-1", looks, 0, 0);
        }
        assertThat(left.isUndecided()).isFalse();
        assertThat(left.checks().getFirst().examples())
                .containsExactly("chat-2 holds 3 connections, the operating system has 0");
    }

    @Test
    void aServerThatWasStartedAgainHasLookedAnewOnceItTells() {
        second = GONE;
        second("chat-1", 90, 40, 40);
        samples.put(second++, "chat-1.audits", 0);
        assertThat(left.isUndecided()).isTrue();
        second("chat-1", 1, 0, 0);
        assertThat(left.isUndecided()).isFalse();
        assertThat(left.checks()).extracting(Check::status).containsOnly(Status.PASS);
    }

    @Test
    void aServerThatWasKilledIsNotWaitedForAndProvesNothing() {
        for (int i = 0; i < GONE; i++) second("chat-1", 7, 40, 40);
        assertThat(left.isUndecided()).isTrue();
        for (int i = 0; i < 5; i++) samples.put(second++, "machine.busy", 1);
        assertThat(left.isUndecided()).isFalse();
        assertThat(left.checks()).extracting(Check::status).containsOnly(Status.SKIPPED);
    }

    @Test
    void serverWithoutAComparisonDoesNotPass() {
        second = GONE;
        for (int i = 0; i < 60; i++) second("chat-1", 7, 0, 0);
        assertThat(left.isUndecided()).isTrue();
        assertThat(left.checks().getFirst().examples())
                .containsExactly("chat-1 has not asked the operating system since");
    }

    @Test
    void checkDoesNotWaitWithoutMetrics() {
        assertThat(left.isUndecided()).isFalse();
        assertThat(left.checks()).extracting(Check::status).containsOnly(Status.SKIPPED);
        second = GONE;
        second("chat-1", 7, 0, Double.NaN);
        second("chat-1", 8, 0, Double.NaN);
        assertThat(left.isUndecided()).isFalse();
        assertThat(left.checks()).extracting(Check::status).containsOnly(Status.SKIPPED);
    }

    private void second(String server, int audits, double connections, double kernel) {
        samples.put(second, server + ".audits", audits);
        samples.put(second, server + ".connections", connections);
        samples.put(second, server + ".connectionsKernel", kernel);
        samples.put(second, server + ".closeWait", Double.isNaN(kernel) ? kernel : 0);
        samples.put(second, "machine.busy", 1);
        second++;
    }
}

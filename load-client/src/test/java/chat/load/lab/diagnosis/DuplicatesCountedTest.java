package chat.load.lab.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.check.Verdict.Check;
import chat.load.check.Verdict.Status;
import chat.load.report.Samples;
import org.junit.jupiter.api.Test;

class DuplicatesCountedTest {
    private final Samples samples = new Samples();
    private final DuplicatesCounted counted = new DuplicatesCounted(samples);
    private int second;

    @Test
    void duplicatesThatEitherProgramCountedAreAddedUp() {
        second(10, 0, 500);
        assertThat(counted.isKnown(2)).isTrue();
        assertThat(counted.isUndecided(9)).isTrue();
        second(12, 3, 504);
        assertThat(counted.isUndecided(9)).isFalse();
        assertThat(counted.checks(9)).extracting(Check::status).containsExactly(Status.PASS);
    }

    @Test
    void missingOrSurplusDuplicatesFail() {
        second(10, 0, 500);
        second(12, 3, 503);
        assertThat(counted.isUndecided(9)).isTrue();
        Check missing = counted.checks(9).getFirst();
        assertThat(missing.status()).isEqualTo(Status.FAIL);
        assertThat(missing.count()).isEqualTo(1);
        assertThat(missing.examples())
                .containsExactly("9 were sent; chat servers acknowledged 5 again, and the consumer dropped 3");
        assertThat(counted.checks(7).getFirst().count()).isEqualTo(1);
    }

    @Test
    void nothingIsCheckedWithoutDuplicatesOrWithoutMetrics() {
        assertThat(counted.isUndecided(5)).isFalse();
        assertThat(counted.checks(5)).extracting(Check::status).containsExactly(Status.SKIPPED);
        second(10, 0, 500);
        assertThat(counted.isKnown(3)).isFalse();
        assertThat(counted.isUndecided(0)).isFalse();
        assertThat(counted.checks(0)).isEmpty();
    }

    private void second(double first, double other, double dropped) {
        samples.put(second, "chat-1.acknowledgedAgain", first);
        samples.put(second, "chat-2.acknowledgedAgain", other);
        samples.put(second++, "consumer.duplicatesTotal", dropped);
    }
}

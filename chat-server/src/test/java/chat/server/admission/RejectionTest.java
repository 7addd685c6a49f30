package chat.server.admission;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RejectionTest {
    @Test
    void onlyRejectionsAreRejections() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Rejection(200, null, "fine"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Rejection.unavailable(Duration.ofMillis(999), "too-soon-to-tell"));
        assertThatIllegalArgumentException().isThrownBy(() -> Rejection.forbidden("of user 42"));
    }
}

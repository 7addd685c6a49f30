package chat.server.limit;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RefusalTest {
    @Test
    void onlyRefusalsAreRefusals() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Refusal(200, null, "fine"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Refusal.unavailable(Duration.ofMillis(999), "too-soon-to-tell"));
        assertThatIllegalArgumentException().isThrownBy(() -> Refusal.forbidden("of user 42"));
    }
}

package chat.kit.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KnownPasswordsTest {
    @ParameterizedTest
    @CsvSource({
        "amqp://guest:guest@127.0.0.1:5672, true",
        "amqp://broker.example:5672, true", // clients then use guest
        "amqp://confab:confab@broker.example, true",
        "amqp://confab:%63onfab@broker.example, true",
        "amqps://confab:x7vK2p@broker.example/vhost, false"
    })
    void defaultBrokerPasswordIsDetected(String address, boolean open) {
        assertThat(KnownPasswords.openBroker(URI.create(address))).isEqualTo(open);
    }

    @Test
    void userNameAsPasswordIsDetected() {
        assertThat(KnownPasswords.contain("confab", "confab")).isTrue();
        assertThat(KnownPasswords.contain("confab", "postgres")).isTrue();
        assertThat(KnownPasswords.contain("confab", "x7vK2p")).isFalse();
    }
}

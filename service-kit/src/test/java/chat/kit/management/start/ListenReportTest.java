package chat.kit.management.start;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class ListenReportTest {
    private static String line(String address, String management) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "test",
                        Map.of(
                                "server.address",
                                address,
                                "local.server.port",
                                "8080",
                                "management.server.address",
                                management,
                                "local.management.port",
                                "9080")));
        return new ListenReport("CHAT_SERVER_ADDRESS").line(environment);
    }

    @Test
    void publicPortOnAllAddressesIsReportedWithItsVariable() {
        assertThat(line("0.0.0.0", "127.0.0.1"))
                .isEqualTo("Listening on port 8080 of all addresses (CHAT_SERVER_ADDRESS limits that);"
                        + " management on port 9080 of 127.0.0.1");
    }

    @Test
    void addressesAreReported() {
        assertThat(line("10.0.0.1", "::"))
                .isEqualTo("Listening on port 8080 of 10.0.0.1; management on port 9080 of all addresses");
    }
}

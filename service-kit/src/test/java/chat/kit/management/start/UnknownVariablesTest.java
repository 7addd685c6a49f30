package chat.kit.management.start;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class UnknownVariablesTest {
    private static Set<String> unknown(String... variables) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addLast(new MapPropertySource(
                        "yaml",
                        Map.of(
                                "server.port", "${CHAT_SERVER_PORT:8080}",
                                "chat.server.max-connections", "${CHAT_SERVER_MAX_CONNECTIONS:20000}",
                                "chat.http.in-flight", "32MB")));
        return UnknownVariables.in(
                environment, Arrays.stream(variables).collect(Collectors.toMap(Function.identity(), name -> "1")));
    }

    @Test
    void variablesThatTheYamlNamesAreKnown() {
        assertThat(unknown("CHAT_SERVER_PORT", "CHAT_SERVER_MAX_CONNECTIONS")).isEmpty();
    }

    @Test
    void variablesThatSpringBootDerivesFromASettingAreKnown() {
        assertThat(unknown("CHAT_HTTP_INFLIGHT", "CHAT_HTTP_IN_FLIGHT", "CHAT_SERVER_MAXCONNECTIONS"))
                .isEmpty();
    }

    @Test
    void misspeltVariablesOfThisProgramAreUnknown() {
        assertThat(unknown("CHAT_SERVER_MAX_CONECTIONS", "CHAT_HTTP_INFLIGTH", "CHAT_SERVER_PORT"))
                .containsExactly("CHAT_HTTP_INFLIGTH", "CHAT_SERVER_MAX_CONECTIONS");
    }

    @Test
    void variablesOfOtherProgramsAreNotReported() {
        assertThat(unknown("CHAT_CONSUMER_WRITERS", "PATH", "CHATTER")).isEmpty();
    }
}

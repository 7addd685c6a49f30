package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.testing.FailedStart;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A wrong setting stops the start with one message that says what to change. */
class StartFailureTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            CHAT_SERVER_PORT=abc              | server.port is wrong: Failed to convert to type java.lang.Integer
            CHAT_SERVER_PORT=99999            | The web server cannot start: port out of range:99999
            CHAT_SERVER_MANAGEMENT_PORT=x     | management.server.port is wrong: Failed to convert to type java.lang.Integer
            CHAT_RABBITMQ_URI=http://x        | chat.rabbitmq is wrong: the RabbitMQ URI must look like amqp://
            CHAT_RABBITMQ_PARTITIONS=0        | chat.rabbitmq is wrong: partitions must be 1 to 64
            CHAT_SERVER_OUTBOX=1KB            | chat.server.socket is wrong: outbox must be at least 256KB
            CHAT_SERVER_OUTBOX=much           | chat.server.socket.outbox is wrong: Failed to convert to type org.springframework.util.unit.DataSize
            CHAT_SERVER_PING_INTERVAL=0s      | chat.server.socket is wrong: pingInterval
            CHAT_SERVER_ID=a/b                | chat.server is wrong: id must be at most 64 characters
            CHAT_SERVER_MAX_CONNECTIONS=0     | chat.server is wrong: max-connections must be at least 1
            CHAT_SERVER_GUARD_HEAP_HIGH=90    | chat.server.guard.heap is wrong: high must be 0 to 1
            CHAT_SERVER_HANDSHAKES_MAX=0      | chat.server.handshakes is wrong: max must be at least 1
            CHAT_SERVER_FRAME_MAXMESSAGELENGTH=4001 | chat.server.frame is wrong: max-message-length is 4001: it must be 1 to 4000, the longest text that the table messages takes
            CHAT_SERVER_FRAME_MAXMESSAGELENGTH=0 | chat.server.frame is wrong: max-message-length is 0: it must be 1 to 4000
            CHAT_SERVER_MAX_USER_ID=1000000000 | chat.server.frame is wrong: max-user-id is 1000000000: it must be 1 to 999999999
            CHAT_SERVER_CONTRACT=second       | chat.server.contract is wrong: Failed to convert to type chat.protocol.Contract
            CHAT_SERVER_TRAFFIC_REPORT=500ms  | chat.server is wrong: traffic-report must be 0 or 1 s to 1 h
            CHAT_SERVER_KEPT_PARTITIONS=0,4   | chat.server.room.kept-partitions is wrong: partitions are numbered from 0, and of this log's 4 none is 4
            CHAT_SERVER_KEPT_PARTITIONS=0,1,  | chat.server.room is wrong: kept-partitions must be numbers separated by commas
            CHAT_SERVER_KEPT_PARTITIONS=all   | chat.server.room.kept-partitions is wrong: Failed to convert to type java.lang.Integer
            CHAT_IDENTITY=                    | chat.identity is wrong: mode is not set: set CHAT_IDENTITY=token
            CHAT_IDENTITY=maybe               | chat.identity.mode is wrong: Failed to convert to type chat.kit.identity.token.IdentitySettings$Mode
            CHAT_IDENTITY=token               | chat.identity is wrong: to check tokens, give either public-key
            CHAT_SERVER_CATCHUP_USERRATE=1KB  | chat.server.catch-up is wrong: user-rate must be 0, or 16KB to 100MB
            CHAT_HISTORY_URL=nonsense         | chat.server.history is wrong: url must look like http://host:8090
            """)
    void messageNamesTheSettingTheAcceptedValuesAndTheVariable(String variable, String message) {
        String output = outputOfFailedStart("--" + variable);
        assertThat(output).contains(message).doesNotContain("\tat ").containsOnlyOnce("FAILED TO START");
        assertThat(output).contains(variable.substring(0, variable.indexOf('=')));
    }

    @Test
    void portInUseIsReported() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("0.0.0.0"))) {
            assertThat(outputOfFailedStart("--server.port=" + taken.getLocalPort()))
                    .contains("Web server failed to start. Port " + taken.getLocalPort() + " was already in use.")
                    .doesNotContain("\tat ");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "amqp://guest:guest@127.0.0.1:5672",
                "amqp://127.0.0.1:5672",
                "amqp://confab:confab@broker.example:5672"
            })
    void defaultBrokerPasswordIsRejectedWithTokens(String broker, @TempDir Path directory) throws Exception {
        TestTokens tokens = new TestTokens(directory);
        List<String> arguments = new ArrayList<>(List.of("--CHAT_IDENTITY=token", "--CHAT_RABBITMQ_URI=" + broker));
        for (String setting : tokens.settings()) arguments.add("--" + setting);
        assertThat(outputOfFailedStart(arguments.toArray(String[]::new)))
                .contains("chat.rabbitmq.uri is wrong: its password is one that everybody knows")
                .contains("CHAT_RABBITMQ_URI")
                .doesNotContain("guest");
    }

    @Test
    void historyTokenIsRequiredWithTokens(@TempDir Path directory) throws Exception {
        TestTokens tokens = new TestTokens(directory);
        List<String> arguments = new ArrayList<>(List.of(
                "--CHAT_IDENTITY=token",
                "--CHAT_RABBITMQ_URI=amqp://confab:one-of-its-own@127.0.0.1:5672",
                "--CHAT_HISTORY_TOKEN_FILE="));
        for (String setting : tokens.settings()) if (!setting.contains("token-file")) arguments.add("--" + setting);
        assertThat(outputOfFailedStart(arguments.toArray(String[]::new)))
                .contains("chat.server.history.token-file is wrong")
                .contains("CHAT_HISTORY_TOKEN_FILE");
    }

    private static String outputOfFailedStart(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        if (all.stream().noneMatch(argument -> argument.startsWith("--CHAT_IDENTITY=")))
            all.add("--CHAT_IDENTITY=open");
        return FailedStart.outputOf(() -> ChatServerApplication.main(all.toArray(String[]::new)));
    }

    @Test
    void processEndsWithAnExitCode() throws Exception {
        ProcessBuilder start = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ChatServerApplication.class.getName());
        start.environment().put("CHAT_IDENTITY", "open");
        start.environment().put("CHAT_SERVER_PORT", "abc");
        Process process = start.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isNotZero();
        assertThat(output).contains("server.port is wrong").contains("CHAT_SERVER_PORT");
    }
}

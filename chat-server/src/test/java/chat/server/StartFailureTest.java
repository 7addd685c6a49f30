package chat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A wrong setting ends the start at once, with one message that tells what to change. */
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
            CHAT_SERVER_GUARD_RETRYAFTER=0s   | chat.server.guard is wrong: retry-after must be 1 second to 10 minutes
            CHAT_SERVER_GUARD_HEAP_HIGH=0.5   | chat.server.guard.heap is wrong: high must be above low
            CHAT_SERVER_GUARD_LOOPDELAY_LOW=1s | chat.server.guard.loop-delay is wrong: high must be above low
            CHAT_SERVER_HANDSHAKES_MAX=0      | chat.server.handshakes is wrong: max must be at least 1
            CHAT_HISTORY_URL=nonsense         | chat.server.history is wrong: url must look like http://host:8090
            """)
    void theMessageNamesTheSettingWhatIsAcceptedAndTheVariable(String variable, String message) {
        String output = outputOfFailedStart("--" + variable);
        assertThat(output).contains(message).doesNotContain("\tat ").containsOnlyOnce("FAILED TO START");
        assertThat(output).contains(variable.substring(0, variable.indexOf('=')));
    }

    @Test
    void aPortInUseIsSaidSo() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("0.0.0.0"))) {
            assertThat(outputOfFailedStart("--server.port=" + taken.getLocalPort()))
                    .contains("Web server failed to start. Port " + taken.getLocalPort() + " was already in use.")
                    .doesNotContain("\tat ");
        }
    }

    private static String outputOfFailedStart(String... arguments) {
        PrintStream before = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        try {
            String[] all = new String[arguments.length + 1];
            System.arraycopy(arguments, 0, all, 0, arguments.length);
            // A broker that is not there does not end the start; it is not what is tested here.
            all[arguments.length] = "--chat.rabbitmq.connect-timeout=1s";
            assertThatThrownBy(() -> ChatServerApplication.main(all)).isNotNull();
        } finally {
            System.setOut(before);
        }
        return output.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theProcessEndsWithAnExitCode() throws Exception {
        ProcessBuilder start = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ChatServerApplication.class.getName());
        start.environment().put("CHAT_SERVER_PORT", "abc");
        Process process = start.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isNotZero();
        assertThat(output).contains("server.port is wrong").contains("CHAT_SERVER_PORT");
    }
}

package chat.load;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.driver.FakeChat;
import chat.load.driver.FakeChat.Faults;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The command as one types it: what it prints, and its exit code. */
@Timeout(60)
class LoadClientTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void aGoodRunExitsWith0AndWritesItsSummary(@TempDir Path folder) throws IOException {
        try (FakeChat chat = new FakeChat(2, new Faults())) {
            int exit = fanout(chat, "--placement", "room", "--window", "2", "--seed", "7", "--out", folder.toString());
            assertThat(exit).as(out.toString() + err).isZero();
        }
        assertThat(out.toString())
                .contains("2 rooms x 3 users x 4 messages = 24 TEXTs", "shares this machine's cores", "p99", "seed 7")
                .contains("PASS  accepted is stored")
                .doesNotContain("FAIL");
        JsonNode summary = JsonMapper.shared().readTree(Files.readAllBytes(folder.resolve("summary.json")));
        assertThat(summary.path("passed").asBoolean()).isTrue();
        assertThat(summary.path("verdict").path("accepted").asInt()).isEqualTo(24);
        assertThat(summary.path("plan").path("placement").asString()).isEqualTo("room");
        assertThat(summary.path("latencyMillis")
                        .path("frame to ACK")
                        .path("count")
                        .asInt())
                .isEqualTo(24);
    }

    @Test
    void aBrokenPromiseExitsWith1AndSaysWhich() {
        Faults faults = new Faults();
        faults.loseRow = 5;
        try (FakeChat chat = new FakeChat(1, faults)) {
            assertThat(fanout(chat)).isEqualTo(1);
        }
        assertThat(out.toString()).contains("FAIL  accepted is stored: 1", "was accepted and is not stored");
    }

    @Test
    void storageMayBeLeftUnchecked() {
        Faults faults = new Faults();
        faults.loseRow = 5;
        try (FakeChat chat = new FakeChat(1, faults)) {
            assertThat(fanout(chat, "--history-url", "none")).isZero();
        }
        assertThat(out.toString()).contains("accepted is stored: not checked");
    }

    @Test
    void nobodyThereExitsWith2AndOneLine() throws IOException {
        assertThat(run("fanout", "--url", "ws://127.0.0.1:" + freePort())).isEqualTo(2);
        assertThat(err.toString().lines()).singleElement().asString().contains("no chat server can be reached");
    }

    @Test
    void noHistoryExitsWith2AndOneLine() throws IOException {
        try (FakeChat chat = new FakeChat(1, new Faults())) {
            assertThat(fanout(chat, "--history-url", "http://127.0.0.1:" + freePort()))
                    .isEqualTo(2);
        }
        assertThat(err.toString().lines()).singleElement().asString().contains("cannot be read back", "--history-url");
    }

    @Test
    void aServerThatIsNoChatServerExitsWith2() {
        Faults faults = new Faults();
        faults.upgradeStatus = 403;
        try (FakeChat chat = new FakeChat(1, faults)) {
            assertThat(fanout(chat)).isEqualTo(2);
        }
        assertThat(err.toString()).contains("nobody could join", "403");
    }

    @Test
    void oneOfTwoServersIsEnough() throws IOException {
        try (FakeChat chat = new FakeChat(1, new Faults())) {
            assertThat(fanout(chat, "--url", "ws://127.0.0.1:" + freePort())).isZero();
        }
        assertThat(err.toString()).contains("warning: cannot reach");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense",
                "fanout",
                "fanout --url http://127.0.0.1:1",
                "fanout --url ws://127.0.0.1:1?x=y",
                "fanout --url nothing",
                "fanout --url ws://127.0.0.1:1 --rooms 0",
                "fanout --url ws://127.0.0.1:1 --rooms many",
                "fanout --url ws://127.0.0.1:1 --payload 501",
                "fanout --url ws://127.0.0.1:1 --window 0",
                "fanout --url ws://127.0.0.1:1 --placement beside",
                "fanout --url ws://127.0.0.1:1 --threads 0",
                "fanout --url ws://127.0.0.1:1 --timeout 0",
                "fanout --url ws://127.0.0.1:1 --history-url ftp://x",
                "fanout --url ws://127.0.0.1:1 --rooms 100000 --users 100000"
            })
    void wrongUsageExitsWith2AndOneLine(String arguments) {
        assertThat(run(arguments.split(" "))).isEqualTo(2);
        assertThat(err.toString().lines()).singleElement().asString().startsWith("load: ");
    }

    @Test
    void helpIsThere() {
        assertThat(run("fanout", "--help")).isZero();
        assertThat(out.toString()).contains("--rooms", "--history-url", "--placement");
    }

    private int fanout(FakeChat chat, String... more) {
        List<String> arguments =
                new ArrayList<>(List.of("fanout", "--rooms", "2", "--users", "3", "--messages", "4", "--timeout", "5"));
        chat.urls().forEach(url -> {
            arguments.add("--url");
            arguments.add(url.toString());
        });
        arguments.addAll(List.of(more));
        return run(arguments.toArray(String[]::new));
    }

    private int run(String... arguments) {
        CommandLine command = LoadClient.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(arguments);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}

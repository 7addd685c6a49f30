package chat.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.testing.Needs;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a real nginx with the file of infra/nginx, with other addresses, in front of servers that return their names.
 */
@Needs("nginx")
class NginxIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    Path directory;

    private final int port = Ports.free();
    private final FakeChatServer first = new FakeChatServer("server-1");
    private final FakeChatServer second = new FakeChatServer("server-2");
    private final FakeChatServer consumer = new FakeChatServer("consumer");
    private final List<Socket> held = new ArrayList<>();
    private Process nginx;

    @BeforeEach
    void start() throws IOException {
        Path file = directory.resolve("nginx.conf");
        String text = Files.readString(Path.of("../infra/nginx/nginx.conf"))
                .replace("10.0.0.11:8080", first.address())
                .replace("10.0.0.12:8080", second.address())
                .replace("10.0.0.21:8090", consumer.address())
                .replace("listen 8080;", "listen 127.0.0.1:" + port + ";")
                .replace("pid /run/nginx.pid;", "pid " + directory.resolve("nginx.pid") + ";")
                // Only root may write to the default directories.
                .replace("http {\n", "http {\n" + temporary("client_body", "proxy", "fastcgi", "uwsgi", "scgi"));
        assertThat(text).doesNotContain("10.0.0.", "/run/");
        Files.writeString(file, text);
        List<String> command = List.of(program(), "-p", directory.toString(), "-c", file.toString());
        Command.Outcome checked = Command.run(
                PATIENCE, Stream.concat(command.stream(), Stream.of("-t")).toList());
        assertThat(checked.succeeded()).as(checked.output()).isTrue();
        nginx = new ProcessBuilder(Stream.concat(command.stream(), Stream.of("-g", "daemon off;"))
                        .toList())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("nginx.log").toFile())
                .start();
        await().atMost(PATIENCE).until(() -> Ports.accepts(port));
    }

    private String temporary(String... names) {
        StringBuilder lines = new StringBuilder();
        for (String name : names) {
            lines.append(name)
                    .append("_temp_path ")
                    .append(directory.resolve(name))
                    .append(";\n");
        }
        return lines.toString();
    }

    private static String program() {
        return SystemPath.find("nginx", System.getenv(), SystemPath.SERVERS)
                .orElseThrow(() -> new AssertionError("nginx is not installed"))
                .toString();
    }

    @AfterEach
    void close() throws Exception {
        for (Socket socket : held) socket.close();
        nginx.destroy();
        nginx.waitFor();
        first.close();
        second.close();
        consumer.close();
    }

    private String serverOf(String path) throws IOException {
        return ThroughProxy.serverOf(port, path);
    }

    @Test
    void roomIsOnOneServerForEveryEncodingOfItsName() throws IOException {
        Set<String> used = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            String server = serverOf("/chat/room_" + i);
            used.add(server);
            for (String path : List.of("/chat/%72oom_" + i, "/chat/room_" + i + "?a=/b", "/chat/room_" + i + "/")) {
                assertThat(serverOf(path)).as(path).isEqualTo(server);
            }
        }
        assertThat(used).containsExactlyInAnyOrder("server-1", "server-2");
    }

    @Test
    void webSocketIsUpgraded() throws IOException {
        assertThat(ThroughProxy.hold(port, "/chat/lobby", held)).isEqualTo(serverOf("/chat/lobby"));
    }

    @Test
    void clientOfAStoppedServerIsRoutedToTheOtherAtOnce() throws IOException {
        first.kill();
        for (int i = 0; i < 20; i++) {
            assertThat(ThroughProxy.hold(port, "/chat/room_" + i, held)).isEqualTo("server-2");
        }
        first.startAgain();
        await().atMost(PATIENCE).until(() -> {
            Set<String> used = new HashSet<>();
            for (int i = 0; i < 20; i++) {
                used.add(serverOf("/chat/room_" + i));
            }
            return used.contains("server-1");
        });
    }

    @Test
    void pagesAreServedByAnyServerAndRestByTheConsumer() throws IOException {
        assertThat(serverOf("/")).startsWith("server-");
        assertThat(serverOf("/health")).startsWith("server-");
        for (String path : List.of("/api/rooms/lobby/messages?limit=5", "/dashboard", "/openapi.json")) {
            assertThat(ThroughProxy.get(port, path))
                    .contains("X-Server: consumer")
                    .endsWith(path);
        }
        assertThat(ThroughProxy.get(port, "/health/consumer"))
                .contains("X-Server: consumer")
                .endsWith("/health");
        assertThat(ThroughProxy.ask(port, "DELETE", "/api/dead-letters/1")).startsWith("HTTP/1.1 403 ");
    }
}

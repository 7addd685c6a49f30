package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.launcher.chaos.LoadRun;
import chat.launcher.platform.ChildProgram;
import chat.launcher.platform.Cluster;
import chat.protocol.RoomId;
import chat.testing.Needs;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs three chat servers behind HAProxy. The order of the tests matters: a server continues to read a partition for
 * some time after its last member has left, so the partitions are checked before a server is stopped.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Needs({"haproxy", "rabbitmq"})
class ProxyIT {
    private static final int SERVERS = 3;
    private static final int PARTITIONS = 4;
    private static final Pattern SERVER_ID = Pattern.compile("\"serverId\":\"([^\"]*)\"");
    private static final Pattern READ = Pattern.compile("(?m)^chat_log_partitions_read(?:\\{.*})? (\\d+)");
    private static final Pattern SESSIONS = Pattern.compile("(?m)^chat_sessions(?:\\{.*})? (\\d+)");

    @TempDir
    static Path directory;

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Cluster.Ports PORTS = Cluster.Ports.free(SERVERS, 1);
    private static Cluster cluster;

    @BeforeAll
    static void start() {
        cluster = TestPlaces.cluster(
                directory, Cluster.Size.servers(SERVERS), PORTS, null, Map.of("CHAT_SERVER_PARTITION_GRACE", "3s"));
        cluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
        assertThat(cluster.proxy().isRunning()).isFalse();
    }

    @Test
    @Order(1)
    void eachServerReadsItsOwnAndItsStandbyPartitions() throws Exception {
        assertPartitionsRead();
        assertAllIsWell(load("--rate=100", "--duration=20s"));
        assertPartitionsRead(); // also those without members, although the server would otherwise have stopped reading
        // them by now
        for (String room : List.of("lobby", "tea", "coffee", "a", "b"))
            assertThat(serverOf(room)).as(room).isEqualTo(ownServer(room));
    }

    private static void assertPartitionsRead() throws Exception {
        assertThat(List.of(partitionsRead(0), partitionsRead(1), partitionsRead(2)))
                .as("0, 3 and 2 of the third; 1 and 0 of the first; 2, 1 of the second and 3 of the first")
                .containsExactly(3, 2, 3);
    }

    @Test
    @Order(2)
    void proxyServesPageAndRest() throws Exception {
        assertThat(get(PORTS.proxy(), "/").body()).contains("<title>");
        assertThat(get(PORTS.proxy(), "/health").body()).contains("\"serverId\":\"server-");
        assertThat(get(PORTS.proxy(), "/health/consumer").body()).contains("\"partitions\"");
        assertThat(get(PORTS.proxy(), "/api/rooms/lobby/messages").statusCode()).isEqualTo(200);
    }

    @Test
    @Order(3)
    void clientsOfAStoppedServerReachAnotherOnTheirFirstReconnect() throws Exception {
        ChildProgram stopped = cluster.servers().get(1);
        LoadRun run = load("--messages=300");
        await().atMost(Duration.ofMinutes(2)).until(() -> run.sent() > 0 || !run.isRunning());
        assertThat(run.isRunning()).as("it is stopped while messages are sent").isTrue();
        int clients = metric(1, SESSIONS);
        assertThat(clients).isPositive();
        long pid = stopped.pid();
        ProcessHandle.of(pid).orElseThrow().destroy(); // SIGTERM, without telling HAProxy
        assertAllIsWell(run);
        assertThat(run.output()).contains(" opened  " + clients + " reconnections  0 failed");
        await().atMost(Duration.ofMinutes(2)).until(() -> stopped.pid() != pid);
        awaitItsRooms(stopped);
    }

    /** Waits until the server is up and HAProxy has marked it up. */
    private static void awaitItsRooms(ChildProgram server) {
        server.awaitHealthy();
        String room = Stream.of("lobby", "tea", "coffee", "a", "b")
                .filter(each -> ownServer(each).equals(server.name()))
                .findFirst()
                .orElseThrow();
        await().atMost(Duration.ofMinutes(2)).until(() -> serverOf(room).equals(server.name()));
    }

    /** Enough rooms for every partition to have some. */
    private static LoadRun load(String... pace) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(pace));
        arguments.addAll(List.of("--rooms=60", "--users=2", "--url=ws://127.0.0.1:" + PORTS.proxy()));
        return TestPlaces.load(directory, arguments.toArray(String[]::new));
    }

    private static void assertAllIsWell(LoadRun run) throws Exception {
        int result = run.result(TestPlaces.LIMIT);
        assertThat(result).as(run.output()).isZero();
    }

    private static String ownServer(String room) {
        return "server-" + (new RoomId(room).partition(PARTITIONS) % SERVERS + 1);
    }

    /** Returns the server that welcomes a member of this room through the proxy; empty if there is none. */
    private static String serverOf(String room) throws Exception {
        CompletableFuture<String> welcome = new CompletableFuture<>();
        WebSocket socket = HTTP.newWebSocketBuilder()
                .header("Origin", "http://127.0.0.1:" + PORTS.proxy()) // as the page's, which servers check
                .buildAsync(URI.create("ws://127.0.0.1:" + PORTS.proxy() + "/chat/" + room), new Welcome(welcome))
                .get(10, TimeUnit.SECONDS);
        try {
            socket.sendText(
                    "{\"messageType\":\"JOIN\",\"userId\":\"1\",\"username\":\"alice1\",\"timestamp\":\"2026-11-20T10:00:00Z\"}",
                    true);
            Matcher id = SERVER_ID.matcher(welcome.get(10, TimeUnit.SECONDS));
            return id.find() ? id.group(1) : "";
        } finally {
            socket.abort();
        }
    }

    /** Waits for the first frame. */
    private record Welcome(CompletableFuture<String> frame) implements WebSocket.Listener {
        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            frame.complete(data.toString());
            socket.request(1);
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            frame.completeExceptionally(error);
        }
    }

    private static int partitionsRead(int server) throws Exception {
        return metric(server, READ);
    }

    private static int metric(int server, Pattern name) throws Exception {
        String metrics = get(PORTS.server(server) + Cluster.MANAGEMENT_OFFSET, "/actuator/prometheus")
                .body();
        Matcher value = name.matcher(metrics);
        assertThat(value.find()).as(metrics).isTrue();
        return Integer.parseInt(value.group(1));
    }

    private static HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .timeout(Duration.ofSeconds(30))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}

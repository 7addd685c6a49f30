package chat.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import chat.nodes.HaproxyConfig.Placement;
import chat.testing.Needs;
import java.io.IOException;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a real HAProxy with the configuration of {@link HaproxyConfig}, in front of servers that return their names.
 */
@Needs("haproxy")
class HaproxyNodeIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final int port = Ports.free();
    private final int statsPort = Ports.free();
    private final List<String> progress = new CopyOnWriteArrayList<>();
    private final List<FakeChatServer> servers = new ArrayList<>();
    private final List<Socket> held = new ArrayList<>();
    private final FakeChatServer consumer = new FakeChatServer("consumer");
    /** Not JUnit's, because the path of a Unix socket may have at most 108 characters. */
    private Path directory;

    private @Nullable HaproxyNode started;

    @BeforeEach
    void createDirectory() throws IOException {
        directory = Files.createTempDirectory("haproxy");
    }

    @AfterEach
    void close() throws IOException {
        for (Socket socket : held) socket.close();
        if (started != null) started.close();
        servers.forEach(FakeChatServer::close);
        consumer.close();
        Directories.delete(directory);
    }

    @Test
    void theFileInTheRepositoryIsValid() {
        Command.Outcome checked = Command.run(
                PATIENCE,
                List.of(
                        HaproxyInstallation.find().orElseThrow().toString(),
                        "-c",
                        "-f",
                        "../infra/haproxy/haproxy.cfg"));
        assertThat(checked.succeeded()).as(checked.output()).isTrue();
    }

    @Test
    void haproxyIsInstalled() {
        assertThat(HaproxyNode.missing()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"4, 2", "8, 3", "1, 1"})
    void everyRoomIsOnTheServerOfItsPartition(int partitions, int count) throws IOException {
        start(partitions, Placement.PARTITION, count);
        for (String room : rooms(100)) {
            assertThat(serverOf("/chat/" + room)).isEqualTo(server(partition(room, partitions) % count));
        }
    }

    @Test
    void howeverItsNameIsWritten() throws IOException {
        start(4, Placement.PARTITION, 4);
        String own = server(partition("lobby", 4));
        for (String path :
                List.of("/chat/lobby", "/chat/lobby?x=/y/z", "/chat/%6cobby", "/chat/l%6Fbby?a=b", "/chat/lobby/")) {
            assertThat(serverOf(path)).as(path).isEqualTo(own);
        }
    }

    @Test
    void eachServerReadsOnePartitionIfThereAreMoreServers() throws IOException {
        start(2, Placement.PARTITION, 4);
        Map<String, Set<Integer>> partitions = new TreeMap<>();
        for (String room : rooms(100)) {
            partitions
                    .computeIfAbsent(serverOf("/chat/" + room), unused -> new HashSet<>())
                    .add(partition(room, 2));
        }
        assertThat(partitions)
                .hasSize(4)
                .allSatisfy((unused, read) -> assertThat(read).hasSize(1));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void spreadConnectionsAreEven(int count) throws IOException {
        start(4, Placement.SPREAD, count);
        Map<String, Integer> shares = new TreeMap<>();
        for (int i = 0; i < 200; i++) {
            shares.merge(hold("/chat/lobby"), 1, Integer::sum);
        }
        assertThat(shares.values())
                .hasSize(count)
                .allSatisfy(share -> assertThat(share).isBetween(200 / count * 95 / 100, 200 / count * 105 / 100));
    }

    /** Before, while and after the server is marked down. */
    @ParameterizedTest
    @CsvSource({"4, 2, 1", "8, 3, 2", "4, 4, 1", "12, 4, 3", "2, 4, 0", "32, 16, 15"})
    void roomsOfAKilledServerMoveToTheirStandbyAndOthersStay(int partitions, int count, int killed) throws IOException {
        start(partitions, Placement.PARTITION, count);
        servers.get(killed).kill();
        PartitionPlacement placement = new PartitionPlacement(partitions, count);
        for (String room : rooms(20 * count)) {
            int slice = partition(room, placement.slices());
            int own = placement.own(slice);
            String serves = server(own == killed ? placement.standby(slice) : own);
            assertThat(serverOf("/chat/" + room))
                    .as("%s of %s", room, server(own))
                    .isEqualTo(serves);
        }
    }

    @Test
    void roomsReturnToARestartedServer() throws IOException {
        start(3, Placement.PARTITION, 3);
        String path = rooms(100).stream()
                .filter(room -> partition(room, 3) == 1)
                .map(room -> "/chat/" + room)
                .findFirst()
                .orElseThrow();
        assertThat(serverOf(path)).isEqualTo("server-2");

        servers.get(1).kill();
        long begin = System.nanoTime();
        assertThat(serverOf(path)).isEqualTo("server-3");
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .as("nobody waits for a health check")
                .isLessThan(Duration.ofSeconds(1));

        servers.get(1).startAgain();
        await().atMost(PATIENCE).until(() -> serverOf(path).equals("server-2"));
    }

    @Test
    void remainingServersServeAllRooms() throws IOException {
        start(4, Placement.PARTITION, 4);
        for (int dead : List.of(0, 1, 3)) {
            servers.get(dead).kill();
        }
        for (String room : rooms(20)) {
            assertThat(serverOf("/chat/" + room)).isEqualTo("server-3");
        }
    }

    @Test
    void stoppingServerGetsNoConnections() throws IOException {
        addServers(2);
        servers.getFirst().stopping();
        start(4, Placement.PARTITION);
        await().atMost(PATIENCE).until(() -> servers(20).equals(Set.of("server-2")));
    }

    @Test
    void serverInMaintenanceKeepsItsConnectionsAndGetsNoNewOnes() throws IOException {
        start(2, Placement.PARTITION, 2);
        assertThat(hold("/chat/lobby")).isEqualTo("server-2");
        tell("set server chat/server-2 state maint");
        assertThat(servers(20)).containsExactly("server-1");
        assertThat(held.getFirst().getInputStream().available()).isZero();
        assertThat(tell("show stat chat 4 -1")).contains("chat,server-2,0,0,1,");

        tell("set server chat/server-2 state ready");
        assertThat(servers(20)).containsExactlyInAnyOrder("server-1", "server-2");
    }

    @Test
    void pagesAreServedByAnyServerAndRestByTheConsumer() throws IOException {
        start(4, Placement.PARTITION, 2);
        Set<String> pages = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            pages.add(serverOf("/"));
        }
        assertThat(pages).isSubsetOf("server-1", "server-2");
        assertThat(ThroughProxy.get(port, "/api/rooms/lobby/messages?limit=5"))
                .contains("X-Server: consumer")
                .endsWith("/api/rooms/lobby/messages?limit=5");
        assertThat(ThroughProxy.get(port, "/health/consumer"))
                .contains("X-Server: consumer")
                .endsWith("/health");
        assertThat(ThroughProxy.get(port, "/health"))
                .doesNotContain("X-Server: consumer")
                .endsWith("/health");
    }

    @Test
    void metricsAndStatisticsHaveTheirOwnPort() throws IOException {
        start(4, Placement.PARTITION, 2);
        assertThat(ThroughProxy.get(statsPort, "/metrics"))
                .contains("haproxy_server_status{proxy=\"chat\",server=\"server-1\",state=\"UP\"} 1");
        assertThat(ThroughProxy.get(statsPort, "/")).contains("Statistics Report");
        assertThat(ThroughProxy.get(port, "/metrics")).contains("X-Server: server-");
    }

    @Test
    void haproxyIsRestartedAfterAnUnexpectedExit() throws IOException {
        HaproxyNode node = start(4, Placement.PARTITION, 2);
        long pid = node.pid();
        node.kill();
        await().atMost(PATIENCE).until(() -> node.isRunning() && node.pid() != pid);
        await().atMost(PATIENCE).until(() -> Ports.accepts(port));
        assertThat(serverOf("/chat/lobby")).startsWith("server-");
        assertThat(progress).anyMatch(line -> line.contains("restarting it"));
    }

    @Test
    void drainRefusesNewConnectionsAndKeepsOpenOnes() throws IOException {
        HaproxyNode node = start(4, Placement.PARTITION, 2);
        hold("/chat/lobby");
        node.drain();
        await().atMost(PATIENCE).until(() -> !Ports.accepts(port));
        assertThat(node.isRunning()).isTrue();
        held.getFirst().close();
        await().atMost(PATIENCE).until(() -> !node.isRunning());
        assertThat(progress).isEmpty();
    }

    @Test
    void portInUseIsRejected() {
        try (FakeChatServer other = new FakeChatServer("other")) {
            addServers(1);
            int taken = Integer.parseInt(other.address().split(":", -1)[1]);
            HaproxyNode node = new HaproxyNode(directory, taken, config(4, Placement.PARTITION), progress::add);
            started = node;
            assertThatThrownBy(node::start).isInstanceOf(NodeException.class).hasMessageContaining("in use");
        }
    }

    @Test
    void processOfAKilledJvmIsStoppedByTheNextStart() throws IOException {
        ProcessHandle orphan = KilledJvm.leaves("haproxy", directory);
        assertThat(Processes.isRunning(orphan)).isTrue();

        start(4, Placement.PARTITION, 1);

        assertThat(Processes.isRunning(orphan)).isFalse();
        assertThat(progress)
                .anySatisfy(line -> assertThat(line).contains("process " + orphan.pid() + " from an earlier run"));
    }

    private HaproxyNode start(int partitions, Placement placement, int count) {
        addServers(count);
        return start(partitions, placement);
    }

    private HaproxyNode start(int partitions, Placement placement) {
        HaproxyNode node = new HaproxyNode(directory, port, config(partitions, placement), progress::add);
        started = node;
        return node.start();
    }

    private void addServers(int count) {
        for (int i = 0; i < count; i++) {
            servers.add(new FakeChatServer(server(i)));
        }
    }

    private HaproxyConfig config(int partitions, Placement placement) {
        return new HaproxyConfig(
                "127.0.0.1:" + port,
                "127.0.0.1:" + statsPort,
                "admin.sock",
                0,
                partitions,
                placement,
                servers.stream().map(FakeChatServer::address).toList(),
                consumer.address());
    }

    private static String server(int index) {
        return "server-" + (index + 1);
    }

    /** The chat servers' formula; this module cannot depend on theirs. */
    private static int partition(String room, int partitions) {
        CRC32 crc = new CRC32();
        crc.update(room.getBytes(StandardCharsets.US_ASCII));
        return (int) (crc.getValue() % partitions);
    }

    private static List<String> rooms(int count) {
        return IntStream.range(0, count).mapToObj(i -> "room_" + i).toList();
    }

    /** Returns the servers on which this number of rooms are. */
    private Set<String> servers(int count) throws IOException {
        Set<String> found = new HashSet<>();
        for (String room : rooms(count)) {
            found.add(serverOf("/chat/" + room));
        }
        return found;
    }

    private String serverOf(String path) throws IOException {
        return ThroughProxy.serverOf(port, path);
    }

    /** Opens a connection that stays open; returns the name of its server. */
    private String hold(String path) throws IOException {
        return ThroughProxy.hold(port, path, held);
    }

    private String tell(String command) throws IOException {
        try (SocketChannel admin = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            admin.connect(UnixDomainSocketAddress.of(directory.resolve("admin.sock")));
            admin.write(ByteBuffer.wrap((command + "\n").getBytes(StandardCharsets.US_ASCII)));
            ByteBuffer answer = ByteBuffer.allocate(16_384);
            while (admin.read(answer) >= 0 && answer.hasRemaining()) {
                // Read to the end.
            }
            return new String(answer.array(), 0, answer.position(), StandardCharsets.US_ASCII);
        }
    }
}

package chat.load.lab.sample;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.lab.sample.ProcessFinder.Found;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** By tables as a running platform's looked, with the numbers made smaller. */
class ProcessFinderTest {
    private static final String HEADER =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

    @TempDir
    private Path directory;

    private ProcTree proc = new ProcTree(Path.of("/nowhere"));
    private final StringBuilder tcp = new StringBuilder(HEADER);
    private final StringBuilder tcp6 = new StringBuilder(HEADER);

    @BeforeEach
    void init() {
        proc = new ProcTree(directory);
    }

    @Test
    void findsServersConsumerBrokerAndDatabaseByTheirConnections() {
        process(11, "java");
        process(12, "java");
        process(13, "java");
        process(20, "beam.smp");
        process(21, "epmd");
        process(30, "postgres");
        listen6(11, 8081, 111);
        listen6(11, 9081, 112);
        listen6(12, 8082, 121);
        listen6(13, 8090, 131);
        listen4(20, 24396, 201);
        listen4(21, 26479, 211);
        listen4(30, 29228, 301);
        connect(11, 59284, 113, 20, 24396, 202);
        connect(12, 59302, 122, 20, 24396, 203);
        connect(13, 59314, 132, 20, 24396, 204);
        connect(13, 37912, 133, 30, 29228, 302);
        connect(20, 55600, 205, 21, 26479, 212);

        List<Found> found = find(List.of(8081, 8082), 8090);

        assertThat(names(found))
                .containsExactlyInAnyOrder("chat-8081", "chat-8082", "consumer", "rabbitmq", "postgresql");
        assertThat(get(found, "rabbitmq").stat().pid()).isEqualTo(20);
        assertThat(get(found, "chat-8081").ports()).containsExactly(8081, 9081);
    }

    @Test
    void oneProcessThatIsEverythingHasOneName() {
        process(11, "java");
        process(30, "postgres");
        listen6(11, 8080, 111);
        listen4(30, 29228, 301);
        connect(11, 37912, 112, 30, 29228, 302);
        assertThat(names(find(List.of(8080), 8080))).containsExactly("chat-8080", "postgresql");
    }

    @Test
    void otherServersAreCalledByProgramAndPort() {
        process(40, "MainThread").link("40/exe", "bin/node");
        process(41, "nats-server");
        listen4(40, 3000, 401);
        listen4(41, 8222, 411);
        List<Found> found = find(List.of(3000, 8222), null);
        assertThat(names(found)).containsExactly("node-3000", "nats-server-8222");
        assertThat(get(found, "node-3000").isJava()).isFalse();
    }

    @Test
    void aServerOfTheBrokersMakeThatIsTheTargetItselfIsCalledByItsPort() {
        process(20, "beam.smp");
        listen4(20, 4000, 201);
        assertThat(names(find(List.of(4000), null))).containsExactly("beam_smp-4000");
    }

    @Test
    void looksThroughALoadBalancer() {
        process(50, "haproxy");
        process(11, "java");
        process(20, "beam.smp");
        listen4(50, 8000, 501);
        listen6(11, 8081, 111);
        listen4(20, 5672, 201);
        connect(50, 40000, 502, 11, 8081, 112);
        connect(11, 40001, 113, 20, 5672, 202);
        assertThat(names(find(List.of(8000), null))).containsExactly("haproxy-8000", "chat-8081", "rabbitmq");
    }

    @Test
    void ofProcessesThatShareAListeningSocketTheParentCounts() {
        proc.process(60, 1, "nginx", 1, 1, 5).process(61, 60, "nginx", 1, 1, 6).process(62, 60, "nginx", 1, 1, 7);
        listen4(61, 8000, 601);
        proc.socket(62, 7, 601).socket(60, 7, 601);
        List<Found> found = find(List.of(8000), null);
        assertThat(get(found, "nginx-8000").stat().pid()).isEqualTo(60);
    }

    @Test
    void portWithoutAListenerHasNoProcess() {
        process(11, "java");
        assertThat(find(List.of(8081), 8090)).isEmpty();
    }

    @Test
    void connectionsToOtherMachinesLeadNowhere() {
        process(11, "java");
        process(20, "beam.smp");
        listen6(11, 8081, 111);
        listen4(20, 5672, 201);
        // To port 5672 of 10.0.0.9, where a broker of the same port runs here, too.
        line(tcp, "0500000A:E001", "0900000A:1628", "01", 112);
        proc.socket(11, 90, 112);
        assertThat(names(find(List.of(8081), null))).containsExactly("chat-8081");
    }

    private static List<String> names(List<Found> found) {
        return found.stream().map(Found::name).toList();
    }

    private static Found get(List<Found> found, String name) {
        return found.stream()
                .filter(process -> process.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private List<Found> find(List<Integer> servers, @Nullable Integer consumer) {
        proc.write("net/tcp", tcp.toString()).write("net/tcp6", tcp6.toString());
        return new ProcessFinder(proc.files(), servers, consumer).find();
    }

    private ProcTree process(int pid, String command) {
        return proc.process(pid, 1, command, 10, 5, 1000 + pid);
    }

    private void listen4(int pid, int port, int inode) {
        line(tcp, "0100007F:" + hex(port), "00000000:0000", "0A", inode);
        proc.socket(pid, inode % 100, inode);
    }

    private void listen6(int pid, int port, int inode) {
        line(
                tcp6,
                "0000000000000000FFFF00000100007F:" + hex(port),
                "00000000000000000000000000000000:0000",
                "0A",
                inode);
        proc.socket(pid, inode % 100, inode);
    }

    /** From a JVM, which calls the address IPv6, to a server that calls it IPv4. */
    private void connect(int from, int port, int inode, int to, int toPort, int toInode) {
        line(
                tcp6,
                "0000000000000000FFFF00000100007F:" + hex(port),
                "0000000000000000FFFF00000100007F:" + hex(toPort),
                "01",
                inode);
        line(tcp, "0100007F:" + hex(toPort), "0100007F:" + hex(port), "01", toInode);
        proc.socket(from, inode % 100, inode).socket(to, toInode % 100, toInode);
    }

    private static void line(StringBuilder table, String local, String remote, String state, int inode) {
        table.append(String.format(
                Locale.ROOT,
                "   1: %s %s %s 00000000:00000000 00:00000000 00000000     0        0 %d 1 0000 100 0 0 10 0\n",
                local,
                remote,
                state,
                inode));
    }

    private static String hex(int port) {
        return String.format(Locale.ROOT, "%04X", port);
    }
}

package chat.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.testing.Needs;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Needs("rabbitmq")
class RabbitNodeIT {
    @TempDir
    static Path directory;

    private static RabbitNode node;

    @BeforeAll
    static void create() {
        node = new RabbitNode(RabbitSettings.in(directory));
    }

    @BeforeEach
    void start() {
        node.start();
    }

    @AfterAll
    static void close() {
        node.close();
    }

    @Test
    void confirmedMessagesSurviveAStopAndAKill() throws Exception {
        String uri = node.uri();
        publishTo("durable");

        node.stop();
        assertThat(node.isRunning()).isFalse();
        assertThat(Ports.isFree(node.port())).isTrue();
        node.start();
        publishTo("durable");

        long pid = node.pid();
        node.kill();
        assertThat(ProcessHandle.of(pid).filter(Processes::isRunning)).isEmpty();
        node.start();

        assertThat(node.uri()).isEqualTo(uri);
        assertThat(node.ctl("list_queues", "--no-table-headers", "name", "messages"))
                .isEqualTo("durable\t2");
    }

    @Test
    void replacedDataForgetsWhatWasPublishedAfterTheCopy(@TempDir Path other) throws Exception {
        Path copy = other.resolve("copy");
        publishTo("copied");
        // A clean stop writes the declaration of the queue to disk.
        node.stop();
        node.start();
        node.copyData(copy);
        publishTo("copied");
        assertThatThrownBy(() -> node.replaceData(copy)).isInstanceOf(NodeException.class);

        node.kill();
        node.replaceData(copy);
        node.start();
        try (Connection connection = connect();
                Channel channel = connection.createChannel()) {
            assertThat(channel.queueDelete("copied").getMessageCount()).isOne();
        }
    }

    @Test
    void streamsCanBeDeclared() throws Exception {
        try (Connection connection = connect();
                Channel channel = connection.createChannel()) {
            channel.queueDeclare("stream", true, false, false, Map.of("x-queue-type", "stream"));
            assertThat(channel.queueDelete("stream").getMessageCount()).isZero();
        }
    }

    @Test
    void pausedNodeAcceptsButDoesNotRespondUntilResumed() throws Exception {
        node.pause();
        try (Socket socket = new Socket()) {
            socket.connect(Ports.address(node.port()), 1_000);
            socket.setSoTimeout(300);
            socket.getOutputStream().write("AMQP\0\0\11\1".getBytes(StandardCharsets.ISO_8859_1));
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);

            node.resume();
            socket.setSoTimeout(10_000);
            assertThat(socket.getInputStream().read()).isEqualTo(1);
        } finally {
            node.resume();
        }
    }

    @Test
    void failedCommandReportsItsOutput() {
        assertThatThrownBy(() -> node.ctl("delete_queue", "nowhere"))
                .isInstanceOf(NodeException.class)
                .hasMessageContaining("delete_queue nowhere")
                .hasMessageContaining("not found");
    }

    @Test
    void secondNodeOnTheDirectoryIsRefused() {
        try (RabbitNode second = new RabbitNode(RabbitSettings.in(directory))) {
            assertThatThrownBy(second::start)
                    .isInstanceOf(NodeException.class)
                    .hasMessageContaining(
                            "in use by process " + ProcessHandle.current().pid());
        }
        assertThat(node.isRunning()).isTrue();
    }

    @Test
    void portInUseIsRejected(@TempDir Path other) throws Exception {
        try (ServerSocket taken = new ServerSocket();
                RabbitNode second = new RabbitNode(RabbitSettings.in(other).withPort(portOf(taken)))) {
            assertThatThrownBy(second::start).isInstanceOf(NodeException.class).hasMessageContaining("in use");
        }
    }

    @Test
    void nodeOfAKilledJvmIsStoppedByTheNextStart(@TempDir Path other) {
        ProcessHandle orphan = KilledJvm.leaves("rabbitmq", other);
        assertThat(orphan.isAlive()).isTrue();

        List<String> progress = new ArrayList<>();
        try (RabbitNode next = new RabbitNode(RabbitSettings.in(other).withProgress(progress::add))) {
            next.start();

            assertThat(Processes.isRunning(orphan)).isFalse();
            assertThat(next.pid()).isNotEqualTo(orphan.pid());
            assertThat(progress)
                    .anySatisfy(line -> assertThat(line).contains("process " + orphan.pid() + " from an earlier run"));
        }
        assertThat(Processes.runningWith(other.toString())).isEmpty();
    }

    @Test
    void tuningAppliesToPluginsSettingsAndTheErlangVm(@TempDir Path other) {
        int streamPort = Ports.free();
        RabbitTuning tuning = RabbitTuning.USUAL
                .withStreamPort(streamPort)
                .withAdvanced("{rabbit, [{channel_max, 77}]}")
                .withErlang("+SDio 3");
        try (RabbitNode tuned = new RabbitNode(RabbitSettings.in(other).withTuning(tuning)).start()) {
            assertThat(Ports.accepts(streamPort)).isTrue();
            assertThat(tuned.ctl(
                            "eval",
                            "{application:get_env(rabbit, channel_max), erlang:system_info(dirty_io_schedulers)}."))
                    .isEqualTo("{{ok,77},3}");
        }
    }

    private static int portOf(ServerSocket socket) throws Exception {
        socket.bind(Ports.address(0));
        return socket.getLocalPort();
    }

    private static void publishTo(String queue) throws Exception {
        try (Connection connection = connect();
                Channel channel = connection.createChannel()) {
            channel.queueDeclare(queue, true, false, false, Map.of());
            channel.confirmSelect();
            channel.basicPublish("", queue, MessageProperties.MINIMAL_PERSISTENT_BASIC, new byte[] {1});
            channel.waitForConfirmsOrDie(10_000);
        }
    }

    private static Connection connect() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(node.uri());
        return factory.newConnection();
    }
}

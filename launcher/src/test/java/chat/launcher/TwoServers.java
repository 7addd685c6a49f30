package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.launcher.chaos.LoadRun;
import chat.launcher.platform.ChildProgram;
import chat.launcher.platform.Cluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs two chat servers, the consumer, RabbitMQ and PostgreSQL as processes, and the load client. */
final class TwoServers implements AutoCloseable {
    /** The load client reads the results of the audit. */
    private static final Map<String, String> AUDIT = Map.of("CHAT_SERVER_SESSION_AUDIT", "true");

    private final Path directory;
    private final Cluster.Ports ports = Cluster.Ports.free(2, 1);
    private final Cluster cluster;

    TwoServers(Path directory) {
        this.directory = directory;
        this.cluster = TestPlaces.cluster(directory, Cluster.Size.servers(2), ports, null, AUDIT);
        try {
            cluster.start();
        } catch (RuntimeException failed) {
            cluster.close(); // stops the programs that were started
            throw failed;
        }
    }

    ChildProgram consumer() {
        return cluster.programs().getFirst();
    }

    List<ChildProgram> servers() {
        return cluster.programs().subList(1, 3);
    }

    Cluster cluster() {
        return cluster;
    }

    LoadRun load(int messages, String... further) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "--rooms=8",
                "--users=10",
                "--messages=" + messages,
                "--url=ws://127.0.0.1:" + ports.server(0),
                "--url=ws://127.0.0.1:" + ports.server(1),
                "--history-url=http://127.0.0.1:" + ports.consumer()));
        arguments.addAll(List.of(further));
        return TestPlaces.load(directory, arguments.toArray(String[]::new));
    }

    LoadRun underLoad(Runnable fault) throws IOException {
        LoadRun run = load(400);
        awaitSending(run);
        fault.run();
        return run;
    }

    static void awaitSending(LoadRun run) {
        await().atMost(Duration.ofMinutes(2)).until(() -> run.sent() > 0 || !run.isRunning());
        assertThat(run.isRunning())
                .as("the fault comes while messages are sent")
                .isTrue();
    }

    static void assertAllIsWell(LoadRun run) throws Exception {
        int result = run.result(TestPlaces.LIMIT);
        assertThat(result).as(run.output()).isZero();
    }

    @Override
    public void close() {
        cluster.close();
    }
}

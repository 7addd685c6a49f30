package chat.local;

import static chat.local.TwoServers.assertAllIsWell;
import static chat.local.TwoServers.awaitSending;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.nodes.RabbitNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every message is accounted for, although what it goes through is stopped and started again. */
class ClusterRestartsIT {
    /** As long as a stop may take by default: 15 s, and what the JVM needs itself. */
    private static final Duration LONGEST_STOP = Duration.ofSeconds(20);

    @TempDir
    static Path directory;

    private static TwoServers two;

    @BeforeAll
    static void start() {
        two = new TwoServers(directory);
    }

    @AfterAll
    static void stop() {
        two.close();
    }

    @Test
    void whenTheBrokerIsRestartedAndThenKilled() throws Exception {
        RabbitNode broker = two.cluster().rabbit();
        LoadRun run = two.load(300, "--rate=600"); // for about 40 s
        awaitSending(run);
        broker.stop();
        broker.start();
        long sent = run.sent();
        await().atMost(TestPlaces.LIMIT).until(() -> run.sent() > sent || !run.isRunning());
        assertThat(run.isRunning()).as("it sends when the broker is killed").isTrue();
        broker.kill();
        broker.start();
        assertAllIsWell(run);
    }

    @Test
    void whenBothServersAreRestartedInBetween() throws Exception {
        assertAllIsWell(two.load(20));
        List<ChildProgram> servers = two.servers();
        List<Long> pids = new ArrayList<>();
        for (ChildProgram server : servers) {
            pids.add(server.pid());
            server.kill();
        }
        for (int i = 0; i < servers.size(); i++) {
            ChildProgram server = servers.get(i);
            long before = pids.get(i);
            await().atMost(Duration.ofMinutes(2)).until(() -> server.pid() != before);
            server.awaitHealthy();
        }
        assertAllIsWell(two.load(20));
    }

    @Test
    void whenTheServersAreStoppedAndStartedOneAfterTheOtherUnderLoad() throws Exception {
        LoadRun run = two.load(400, "--rate=600"); // for about a minute
        awaitSending(run);
        for (ChildProgram server : two.servers()) {
            assertThat(run.isRunning()).isTrue();
            two.forget();
            long before = server.pid();
            ProcessHandle process = ProcessHandle.of(before).orElseThrow();
            process.destroy(); // SIGTERM
            await().atMost(LONGEST_STOP).until(() -> !process.isAlive());
            await().atMost(Duration.ofMinutes(2)).until(() -> server.pid() != before);
            server.awaitHealthy();
            // It was drained, not cut off.
            assertThat(two.said()).contains(server.name() + " has ended with code 0");
        }
        assertAllIsWell(run);
    }
}

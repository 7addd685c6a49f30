package chat.persistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.rabbit.RabbitLogSettings;
import chat.log.rabbit.RabbitRoomLog;
import chat.nodes.Ports;
import chat.nodes.Processes;
import chat.nodes.RabbitNode;
import chat.nodes.RabbitSettings;
import chat.testing.Needs;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Consumers that are killed (SIGKILL) as processes of their own. The places to be killed at are made in the database, so
 * the program is the one that is shipped: triggers that wait for a lock that the test holds.
 */
@Needs("rabbitmq")
class KilledConsumerIT {
    private static final Duration SOON = Duration.ofMinutes(2);
    /** How often one is killed at random; more by {@code -Dconfab.kills=20}. */
    private static final int KILLS = Integer.getInteger("confab.kills", 2);

    private static final long LOCK = 77;

    @TempDir
    static Path directory;

    private static RabbitNode rabbit;

    private final List<Process> consumers = new ArrayList<>();
    private RabbitRoomLog log;
    private Writer writer;

    @BeforeAll
    static void begin() {
        rabbit = new RabbitNode(RabbitSettings.in(directory)).start();
    }

    @AfterAll
    static void end() {
        rabbit.close();
    }

    @BeforeEach
    void open() throws Exception {
        Database.empty();
        String prefix = "killed-" + Ports.free();
        log = new RabbitRoomLog(
                new RabbitLogSettings(URI.create(rabbit.uri()), 1, prefix, 16, Duration.ofSeconds(5)),
                "writer",
                RabbitRoomLog.Access.READ_AND_WRITE);
        this.prefix = prefix;
        writer = new Writer(log, 0).awaitStarted();
    }

    private String prefix = "";

    @AfterEach
    void close() throws Exception {
        for (Process consumer : consumers) kill(consumer);
        writer.close();
        log.close();
    }

    private Process consumer() throws IOException {
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx256m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PersistenceConsumer.class.getName(),
                        "--server.port=0",
                        "--server.address=127.0.0.1",
                        "--chat.identity.mode=open",
                        "--management.server.port=" + Ports.free(),
                        "--chat.rabbitmq.uri=" + rabbit.uri(),
                        "--chat.rabbitmq.partitions=1",
                        "--chat.rabbitmq.prefix=" + prefix,
                        "--chat.postgres.url=" + Database.node().jdbcUrl(),
                        "--chat.postgres.user=" + Database.node().user(),
                        "--chat.postgres.password=" + Database.node().password())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("consumer.log").toFile()))
                .start();
        consumers.add(process);
        return process;
    }

    private static void kill(Process consumer) throws InterruptedException {
        consumer.destroyForcibly().waitFor();
    }

    private void say(int messages, String what) {
        for (int i = 0; i < messages; i++) writer.say("room-" + i % 5, what + " " + i);
    }

    /** Exactly what was accepted, each where it was accepted. */
    private void assertStored() {
        TreeMap<String, String> expected = new TreeMap<>();
        writer.accepted().forEach((id, position) -> expected.put(id.toString(), position.toString()));
        await().atMost(SOON).ignoreExceptions().untilAsserted(() -> {
            TreeMap<String, String> rows = new TreeMap<>();
            for (String row : Database.column("SELECT message_id || ' ' || position FROM messages"))
                rows.put(row.substring(0, 36), row.substring(37));
            assertThat(rows).isEqualTo(expected);
        });
        assertThat(Database.column("SELECT reason FROM dead_letter")).isEmpty();
        assertThat(Database.column("SELECT reason FROM log_gap")).isEmpty();
    }

    private static long rows() {
        return Database.number("SELECT count(*) FROM messages");
    }

    /** A session that makes triggers wait. */
    private static final class Barrier implements AutoCloseable {
        private final Connection connection;

        Barrier() throws SQLException {
            connection = DriverManager.getConnection(
                    Database.node().jdbcUrl(),
                    Database.node().user(),
                    Database.node().password());
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT pg_advisory_lock(" + LOCK + ")");
            }
        }

        void awaitSomebody() throws SQLException {
            assertThat(connection.isValid(30)).isTrue();
            await().atMost(SOON)
                    .until(() ->
                            Database.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'") > 0);
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }

    private static void waitAt(String trigger) {
        Database.execute(String.format(Locale.ROOT, """
                CREATE OR REPLACE FUNCTION wait_at() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_advisory_xact_lock_shared(%d); RETURN NULL; END $$""", LOCK));
        Database.execute(trigger);
    }

    private static void awaitNobodyIsConnected() {
        await().atMost(SOON)
                .until(() -> Database.number("SELECT count(*) FROM pg_stat_activity"
                                + " WHERE application_name LIKE 'confab-consumer%'")
                        == 0);
    }

    /** One test, because each consumer takes over from the one before. */
    @Test
    void killsBetweenInsertAndCommitAndAfterAnUnseenCommitStoreEverythingOnce() throws Exception {
        Process first = consumer();
        say(10, "before");
        assertStored();
        kill(first);
        awaitNobodyIsConnected();

        waitAt("CREATE TRIGGER wait AFTER INSERT ON messages FOR EACH STATEMENT EXECUTE FUNCTION wait_at()");
        say(1500, "at the failpoint");
        writer.accepted();
        try (Barrier barrier = new Barrier()) {
            Process victim = consumer();
            barrier.awaitSomebody();
            kill(victim);
        }
        awaitNobodyIsConnected();
        assertThat(rows()).isEqualTo(10);
        Database.execute("DROP TRIGGER wait ON messages");

        waitAt("CREATE CONSTRAINT TRIGGER wait AFTER UPDATE ON log_position DEFERRABLE INITIALLY DEFERRED"
                + " FOR EACH ROW EXECUTE FUNCTION wait_at()");
        Process victim;
        try (Barrier barrier = new Barrier()) {
            victim = consumer();
            barrier.awaitSomebody();
            Processes.suspend(victim.toHandle()); // were it gone, PostgreSQL could notice before its commit is done
        }
        await().atMost(SOON).until(() -> rows() > 10);
        kill(victim);
        awaitNobodyIsConnected();
        consumer();
        say(10, "after");
        assertStored();
    }

    @Test
    void killedConsumerContinuesAtItsPosition() throws Exception {
        Random random = new Random(5);
        for (int round = 0; round < KILLS; round++) {
            Process victim = consumer();
            long before = round == 0 ? 0 : rows();
            say(3000, "round " + round);
            await().atMost(SOON).ignoreExceptions().until(() -> rows() > before + random.nextInt(2000));
            kill(victim);
        }
        consumer();
        assertStored();
    }

    @Test
    void ofTwoConsumersTheOtherTakesOver() throws Exception {
        Process first = consumer();
        say(10, "before");
        assertStored();
        consumer();
        await().atMost(SOON)
                .until(() -> Database.number("SELECT count(DISTINCT client_port) FROM pg_stat_activity"
                                + " WHERE application_name = 'confab-consumer-writing'")
                        >= 2);
        for (int i = 0; i < 50; i++) {
            say(20, "both " + i);
            writer.accepted();
        }
        kill(first);
        say(10, "after");
        assertStored();
        // From intake to the transaction that stored it, by the clocks of the two programs.
        assertThat(Database.number("SELECT max(extract(epoch FROM created_at - timestamp) * 1000)::bigint"
                        + " FROM messages WHERE content LIKE 'after %'"))
                .as("delay of the messages after the failover, ms")
                .isLessThan(10_000);
    }
}

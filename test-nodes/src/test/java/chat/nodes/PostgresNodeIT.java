package chat.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresNodeIT {
    @TempDir
    static Path directory;

    private static PostgresNode node;

    @BeforeAll
    static void create() {
        node = new PostgresNode(PostgresSettings.in(directory));
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
    void committedRowsSurviveAStopAndAKill() throws Exception {
        execute("CREATE TABLE kept (text text)");
        execute("INSERT INTO kept VALUES ('before the stop')");
        node.stop();
        assertThat(node.isRunning()).isFalse();
        assertThat(Ports.isFree(node.port())).isTrue();
        node.start();

        execute("INSERT INTO kept VALUES ('before the kill')");
        long pid = node.pid();
        node.kill();
        assertThat(ProcessHandle.of(pid).filter(Processes::isRunning)).isEmpty();
        node.start();

        assertThat(query("SELECT string_agg(text, ', ' ORDER BY text) FROM kept"))
                .isEqualTo("before the kill, before the stop");
    }

    @Test
    void commitsAreDurable() throws Exception {
        assertThat(query("SHOW fsync")).isEqualTo("on");
        assertThat(query("SHOW full_page_writes")).isEqualTo("on");
        assertThat(query("SHOW synchronous_commit")).isEqualTo("on");
        assertThat(query("SHOW data_checksums")).isEqualTo("on");
    }

    @Test
    void textSortsByCodePointOnEverySystem() throws Exception {
        assertThat(query("SHOW server_encoding")).isEqualTo("UTF8");
        assertThat(query("SELECT string_agg(c, '' ORDER BY c) FROM (VALUES ('é'), ('a'), ('Z'), ('😀')) AS v(c)"))
                .isEqualTo("Zaé😀");
    }

    @Test
    void wrongPasswordIsRejected() {
        assertThatThrownBy(() -> DriverManager.getConnection(node.jdbcUrl(), node.user(), "guessed")
                        .close())
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("password authentication failed");
    }

    @Test
    void resumedServerResponds() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            node.pause();
            CompletableFuture<Boolean> answer = CompletableFuture.supplyAsync(() -> {
                try {
                    return statement.execute("SELECT 1");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThatThrownBy(() -> answer.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);

            node.resume();
            assertThat(answer.get(10, TimeUnit.SECONDS)).isTrue();
        } finally {
            node.resume();
        }
    }

    @Test
    void pausedServerCanBeStopped() {
        node.pause();
        node.stop();
        assertThat(node.isRunning()).isFalse();
    }

    @Test
    void secondServerOnTheDirectoryIsRefused() {
        try (PostgresNode second = new PostgresNode(PostgresSettings.in(directory))) {
            assertThatThrownBy(second::start)
                    .isInstanceOf(NodeException.class)
                    .hasMessageContaining(
                            "in use by process " + ProcessHandle.current().pid());
        }
        assertThat(node.isRunning()).isTrue();
    }

    @Test
    void staleProcessIdOfAnotherProgramIsNoObstacle() throws Exception {
        node.kill();
        Path file = directory.resolve("data/postmaster.pid");
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        long other = ProcessHandle.current().pid();
        lines.set(0, Long.toString(other));
        Files.write(file, lines);

        node.start();

        assertThat(node.pid()).isNotEqualTo(other);
        assertThat(query("SELECT 1")).isEqualTo("1");
    }

    @Test
    void dataOfAnotherMajorVersionIsRefusedAndLeftAlone() throws Exception {
        node.stop();
        Path version = directory.resolve("data/PG_VERSION");
        String own = Files.readString(version);
        Files.writeString(version, "17\n");
        try {
            assertThatThrownBy(node::start)
                    .isInstanceOf(NodeException.class)
                    .hasMessageContaining("was written by PostgreSQL 17")
                    .hasMessageContaining("remove " + directory.toRealPath());
        } finally {
            Files.writeString(version, own);
        }
    }

    @Test
    void serverOfAKilledJvmIsStoppedByTheNextStart(@TempDir Path other) throws Exception {
        ProcessHandle orphan = KilledJvm.leaves("postgres", other);
        assertThat(orphan.isAlive()).isTrue();

        List<String> progress = new ArrayList<>();
        try (PostgresNode next = new PostgresNode(PostgresSettings.in(other).withProgress(progress::add))) {
            next.start();

            assertThat(Processes.isRunning(orphan)).isFalse();
            assertThat(next.pid()).isNotEqualTo(orphan.pid());
            assertThat(progress)
                    .anySatisfy(line -> assertThat(line).contains("process " + orphan.pid() + " from an earlier run"));
        }
    }

    @Test
    void temporaryServerLeavesNothing() {
        PostgresSettings settings = PostgresSettings.inTemporaryDirectory();
        try (PostgresNode temporary = new PostgresNode(settings)) {
            temporary.start();
            assertThat(settings.directory()).isNotEmptyDirectory();
        }
        assertThat(settings.directory()).doesNotExist();
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String query(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(node.jdbcUrl(), node.user(), node.password());
    }
}

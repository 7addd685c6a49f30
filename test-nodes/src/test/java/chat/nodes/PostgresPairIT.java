package chat.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresPairIT {
    @TempDir
    Path directory;

    private PostgresPair pair;

    @BeforeEach
    void start() throws Exception {
        pair = newPair().start();
        execute(pair.primary(), "CREATE TABLE kept (text text)");
        execute(pair.primary(), "INSERT INTO kept VALUES ('first')");
    }

    private PostgresPair newPair() {
        return new PostgresPair(directory, List.of(Ports.free(), Ports.free()), ignored -> {});
    }

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void replicaHasCommittedRowsAndIsReadOnly() {
        awaitText(pair.replica(), "first");
        assertThatThrownBy(() -> execute(pair.replica(), "INSERT INTO kept VALUES ('there')"))
                .hasMessageContaining("read-only transaction");
    }

    @Test
    void promotedReplicaAcceptsWritesAndTheOldPrimaryFollowsAlsoAfterARestart() throws Exception {
        awaitText(pair.replica(), "first");
        PostgresNode old = pair.primary();
        // Two primaries would be worse than none.
        assertThatThrownBy(pair::promote).isInstanceOf(NodeException.class).hasMessageContaining("still runs");
        old.kill();

        PostgresNode promoted = pair.replica();
        Path script = directory.resolve("promote");
        promoted.writePromote(script);
        Command.Outcome outcome = Command.run(Duration.ofSeconds(30), List.of(script.toString()));
        assertThat(outcome.succeeded()).as(outcome.output()).isTrue();
        assertThat(pair.primary()).isSameAs(promoted);
        execute(promoted, "INSERT INTO kept VALUES ('second')");

        pair.follow();
        assertThat(pair.replica()).isSameAs(old);
        awaitText(old, "first, second");

        pair.close();
        pair = newPair().start();
        execute(pair.primary(), "INSERT INTO kept VALUES ('third')");
        awaitText(pair.replica(), "first, second, third");
        assertThat(PostgresPair.isSecondPrimary(directory)).isTrue();
    }

    private static void awaitText(PostgresNode node, String text) {
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(texts(node)).isEqualTo(text));
    }

    private static String texts(PostgresNode node) throws SQLException {
        try (Connection connection = connect(node);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT string_agg(text, ', ' ORDER BY text) FROM kept")) {
            assertThat(rows.next()).isTrue();
            return String.valueOf(rows.getString(1));
        }
    }

    private static void execute(PostgresNode node, String sql) throws SQLException {
        try (Connection connection = connect(node);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Connection connect(PostgresNode node) throws SQLException {
        return DriverManager.getConnection(node.jdbcUrl(), node.user(), node.password());
    }
}

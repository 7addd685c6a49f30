package chat.persistence.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.nodes.PostgresNode;
import chat.persistence.Database;
import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore.Outcome;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PoolsIT {
    @BeforeEach
    void begin() {
        Database.empty();
    }

    private static Pools pools(Duration socketTimeout, int writing, Duration queryTimeout) {
        return pools(Database.node().jdbcUrl(), socketTimeout, writing, queryTimeout);
    }

    private static Pools pools(String jdbcUrl, Duration socketTimeout, int writing, Duration queryTimeout) {
        PostgresNode node = Database.node();
        return new Pools(
                new PostgresProperties(
                        jdbcUrl,
                        node.user(),
                        node.password(),
                        "",
                        "",
                        "",
                        Duration.ofSeconds(3),
                        socketTimeout,
                        new PostgresProperties.Writing(writing),
                        new PostgresProperties.Reading(1, queryTimeout),
                        new PostgresProperties.Aggregating(2, queryTimeout)),
                1,
                new SimpleMeterRegistry());
    }

    private static String text(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void statementsStayLimitedThoughTheFirstTransactionOfAConnectionFails() throws Exception {
        try (Pools pools = pools(Duration.ofSeconds(10), 2, Duration.ofSeconds(7))) {
            for (DataSource pool : List.of(pools.reading(), pools.aggregating()))
                try (Connection connection = pool.getConnection();
                        Statement statement = connection.createStatement()) {
                    statement.execute("SELECT 1");
                    connection.rollback();
                    assertThat(text(statement, "SHOW statement_timeout")).isEqualTo("7s");
                }
        }
    }

    @Test
    void aConnectionWithoutAnAnswerIsGivenUpInEveryPool() throws Exception {
        try (Pools pools = pools(Duration.ofSeconds(1), 2, Duration.ofSeconds(7))) {
            try (Connection writing = pools.writing().getConnection();
                    Connection reading = pools.reading().getConnection();
                    Connection aggregating = pools.aggregating().getConnection()) {
                assertThat(writing.getNetworkTimeout()).isEqualTo(1_000);
                assertThat(reading.getNetworkTimeout()).isEqualTo(8_000);
                assertThat(aggregating.getNetworkTimeout()).isEqualTo(8_000);
            }
            try (Connection writing = pools.writing().getConnection();
                    Statement statement = writing.createStatement()) {
                assertThatThrownBy(() -> statement.execute("SELECT pg_sleep(30)"))
                        .isInstanceOf(SQLException.class)
                        .hasRootCauseInstanceOf(SocketTimeoutException.class);
            }
        }
    }

    /** The pool asks once for what its connections are like, and its first connection may be lost in that moment. */
    @Test
    void aPoolWhoseFirstConnectionIsLostWhileItIsLookedAtHasOthers() throws Exception {
        PostgresNode node = Database.node();
        try (CutLine line = new CutLine(node.port(), "TRANSACTION ISOLATION LEVEL")) {
            String url = node.jdbcUrl().replace(":" + node.port() + "/", ":" + line.port() + "/");
            try (Pools pools = pools(url, Duration.ofSeconds(10), 2, Duration.ofSeconds(7))) {
                try (Connection connection = pools.writing().getConnection();
                        Statement statement = connection.createStatement()) {
                    assertThat(line.wasCut()).isTrue();
                    assertThat(text(statement, "SHOW transaction_isolation")).isEqualTo("read committed");
                }
            }
        }
    }

    @Test
    void workOnWholeTablesMayTakeLongerAndBatchesAfterItMayNot() throws Exception {
        try (Pools pools = pools(Duration.ofSeconds(1), 2, Duration.ofSeconds(7))) {
            DataSource patient = new PatientDataSource(pools.writing(), Duration.ofMinutes(1));
            try (Connection connection = patient.getConnection()) {
                assertThat(connection.getNetworkTimeout()).isEqualTo(60_000);
            }
            try (Connection connection = pools.writing().getConnection()) {
                assertThat(connection.getNetworkTimeout()).isEqualTo(1_000);
            }
        }
    }

    @Test
    void theDriverWaitsAtLeastAsLongAsPostgresqlWorks() throws Exception {
        try (Pools pools = pools(Duration.ofSeconds(1), 2, Duration.ofSeconds(10));
                Connection connection = pools.reading().getConnection();
                Statement statement = connection.createStatement()) {
            assertThat(text(statement, "SELECT 'done' FROM pg_sleep(1.5)")).isEqualTo("done");
        }
    }

    @Test
    void theSmallestPoolIsEnoughToPrepareAndToWrite() throws Exception {
        try (Pools pools = pools(Duration.ofSeconds(10), 2, Duration.ofSeconds(7))) {
            PostgresStore store = new PostgresStore(
                    pools.writing(),
                    new StoreProperties(1_000, 1, 0, Duration.ofHours(1)),
                    StoredRows.UNHEARD,
                    Clock.systemUTC());
            store.prepare();
            Batch nothing = new Batch(0, List.of(), List.of(), List.of(), null, Batch.Cause.SIZE, false);
            assertThat(store.write(nothing, null, false)).isEqualTo(new Outcome.Stored(0, 0, 0));
        }
    }
}

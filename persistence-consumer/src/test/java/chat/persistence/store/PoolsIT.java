package chat.persistence.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import chat.nodes.PostgresNode;
import chat.persistence.Database;
import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore.Outcome;
import chat.persistence.batch.Mark;
import chat.persistence.batch.StoreUnavailable;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PoolsIT {
    private static final Mark FIRST = new Mark(2047, 0, 0, 5, 1);
    private static final Mark SECOND = new Mark(4095, 0, 1, 5, 2);

    @BeforeEach
    void begin() {
        Database.empty();
    }

    private static Pools pools(Duration socketTimeout, Duration queryTimeout) {
        return pools(Database.node().jdbcUrl(), socketTimeout, queryTimeout);
    }

    private static Pools pools(String jdbcUrl, Duration socketTimeout, Duration queryTimeout) {
        return new Pools(properties(jdbcUrl, socketTimeout, queryTimeout), 1, new SimpleMeterRegistry());
    }

    private static PostgresProperties properties(String jdbcUrl, Duration socketTimeout, Duration queryTimeout) {
        return Database.properties(
                jdbcUrl,
                socketTimeout,
                new PostgresProperties.Reading(1, queryTimeout),
                new PostgresProperties.Aggregating(queryTimeout));
    }

    /**
     * @param silence idle time in a transaction after which PostgreSQL ends the session
     * @param clientCheck interval at which it checks that the client is connected
     */
    private static Pools limited(Duration socketTimeout, Duration silence, Duration clientCheck) {
        return new Pools(
                properties(Database.node().jdbcUrl(), socketTimeout, Duration.ofSeconds(7)),
                1,
                new SimpleMeterRegistry(),
                silence,
                clientCheck);
    }

    private static PostgresStore store(Pools pools) {
        return new PostgresStore(pools.writing(), RowsStoredListener.NONE, Clock.systemUTC());
    }

    /** A store that has stored a batch. */
    private static PostgresStore begun(Pools pools) throws Exception {
        PostgresStore store = store(pools);
        store.prepare();
        Outcome unused = store.write(nothing(FIRST), null, false);
        return store;
    }

    private static Batch nothing(@Nullable Mark end) {
        return new Batch(0, List.of(), List.of(), List.of(), end, Batch.Cause.SIZE, false);
    }

    private static String text(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void statementsStayLimitedThoughTheFirstTransactionOfAConnectionFails() throws Exception {
        try (Pools pools = pools(Duration.ofSeconds(10), Duration.ofSeconds(7))) {
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
    void sessionsThatWriteMayNotBeSilentForLong() throws Exception {
        try (Pools pools = pools(Duration.ofSeconds(10), Duration.ofSeconds(7))) {
            assertThat(limits(pools.writing())).containsExactly("15s", "5s");
            assertThat(limits(pools.aggregating())).containsExactly("1min", "5s");
        }
    }

    /** The limits must survive a first transaction that fails. */
    private static List<String> limits(DataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
            connection.rollback();
            return List.of(
                    text(statement, "SHOW idle_in_transaction_session_timeout"),
                    text(statement, "SHOW client_connection_check_interval"));
        }
    }

    /** The host of the consumer is paused or lost. */
    @Test
    void silentTransactionTimesOut() throws Exception {
        try (Pools silent = limited(Duration.ofSeconds(3), Duration.ofMillis(500), Duration.ofSeconds(5));
                Pools others = pools(Duration.ofSeconds(5), Duration.ofSeconds(7))) {
            PostgresStore store = begun(others);
            try (Connection connection = silent.writing().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("UPDATE log_position SET position = position");
                assertThat(store.write(nothing(SECOND), FIRST, false)).isEqualTo(new Outcome.Stored(0, 0, 0));
                assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
            }
        }
    }

    @Test
    void cancelledLockWaitEndsInPostgresql() throws Exception {
        try (Pools pools = limited(Duration.ofSeconds(1), Duration.ofMinutes(1), Duration.ofMillis(200))) {
            PostgresStore store = begun(pools);
            try (Connection connection = pools.writing().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("UPDATE log_position SET position = position");
                assertThatThrownBy(() -> store.write(nothing(SECOND), FIRST, false))
                        .isInstanceOf(StoreUnavailable.class);
                await().atMost(Duration.ofSeconds(5))
                        .until(() -> Database.number("SELECT count(*) FROM pg_locks WHERE NOT granted") == 0);
            }
        }
    }

    @Test
    void unansweredConnectionTimesOutInEveryPool() throws Exception {
        try (Pools pools = pools(Duration.ofSeconds(1), Duration.ofSeconds(7))) {
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

    /** The pool reads the properties of its connections once, and that first connection may break. */
    @Test
    void poolSurvivesTheLossOfItsFirstConnection() throws Exception {
        PostgresNode node = Database.node();
        try (CuttingProxy proxy = new CuttingProxy(node.port(), "TRANSACTION ISOLATION LEVEL")) {
            String url = node.jdbcUrl().replace(":" + node.port() + "/", ":" + proxy.port() + "/");
            try (Pools pools = pools(url, Duration.ofSeconds(10), Duration.ofSeconds(7))) {
                try (Connection connection = pools.writing().getConnection();
                        Statement statement = connection.createStatement()) {
                    assertThat(proxy.hasCut()).isTrue();
                    assertThat(text(statement, "SHOW transaction_isolation")).isEqualTo("read committed");
                }
            }
        }
    }

    @Test
    void tableWideWorkHasALongerTimeoutThanBatches() throws Exception {
        try (Pools pools = pools(Duration.ofSeconds(1), Duration.ofSeconds(7))) {
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
    void driverTimeoutExceedsTheStatementTimeout() throws Exception {
        try (Pools pools = pools(Duration.ofSeconds(1), Duration.ofSeconds(10));
                Connection connection = pools.reading().getConnection();
                Statement statement = connection.createStatement()) {
            assertThat(text(statement, "SELECT 'done' FROM pg_sleep(1.5)")).isEqualTo("done");
        }
    }

    @Test
    void smallestPoolSuffices() throws Exception {
        try (Pools pools = pools(Duration.ofSeconds(10), Duration.ofSeconds(7))) {
            PostgresStore store = store(pools);
            store.prepare();
            assertThat(store.write(nothing(null), null, false)).isEqualTo(new Outcome.Stored(0, 0, 0));
        }
    }
}

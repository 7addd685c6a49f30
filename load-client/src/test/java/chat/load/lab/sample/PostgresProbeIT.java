package chat.load.lab.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.nodes.PostgresNode;
import chat.nodes.PostgresSettings;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class PostgresProbeIT {
    private static final PostgresNode NODE = new PostgresNode(PostgresSettings.inTemporaryDirectory());
    private final RecordedSink sink = new RecordedSink();

    @BeforeAll
    static void startNode() {
        NODE.start();
    }

    @AfterAll
    static void stopNode() {
        NODE.close();
    }

    @Test
    void theServersOwnStatisticsAreRead() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS things (id int PRIMARY KEY)");
            statement.execute("INSERT INTO things SELECT generate_series(1, 1000) ON CONFLICT DO NOTHING");
        }
        PostgresProbe probe = new PostgresProbe(database());
        try {
            probe.sample(sink);
            assertThat(sink.total("postgresql.commits")).isPositive();
            assertThat(sink.total("postgresql.walBytes")).isPositive();
            assertThat(sink.total("postgresql.walSyncs")).isPositive();
            assertThat(sink.total("postgresql.cacheHit")).isLessThanOrEqualTo(sink.total("postgresql.cacheHit/"));
            assertThat(sink.gauge("postgresql.tableBytes")).isPositive();
            assertThat(sink.gauge("postgresql.indexBytes")).isPositive();
            assertThat(sink.gauges).containsEntry("postgresql.waitingLocks", 0.0);
            assertThat(sink.lives.get("postgresql.commits")).isPositive();
        } finally {
            probe.close();
        }
    }

    @Test
    void sessionsThatWaitForALockAreSeen() throws Exception {
        PostgresProbe probe = new PostgresProbe(database());
        try (Connection holder = connect();
                Connection waiter = connect()) {
            holder.setAutoCommit(false);
            try (Statement lock = holder.createStatement()) {
                lock.execute("SELECT pg_advisory_xact_lock(7)");
            }
            CountDownLatch done = new CountDownLatch(1);
            Thread waiting = Thread.ofVirtual().start(() -> {
                try (Statement lock = waiter.createStatement()) {
                    lock.execute("SELECT pg_advisory_xact_lock(7)");
                    done.countDown();
                } catch (SQLException failure) {
                    throw new IllegalStateException(failure);
                }
            });
            do {
                probe.sample(sink);
            } while (sink.gauge("postgresql.waitingLocks") == 0);
            assertThat(sink.gauges)
                    .containsEntry("postgresql.waitLock", 1.0)
                    .containsEntry("postgresql.active", 1.0)
                    .containsEntry("postgresql.idleInTransaction", 1.0)
                    .containsEntry("postgresql.sessions", 2.0);
            holder.rollback();
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
            waiting.join();
        } finally {
            probe.close();
        }
    }

    @Test
    void aConnectionThatIsLostIsMadeAnew() throws SQLException {
        PostgresProbe probe = new PostgresProbe(database());
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            probe.sample(sink);
            statement.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'load client'");
            assertThatThrownBy(() -> probe.sample(sink)).isInstanceOf(SQLException.class);
            sink.gauges.clear();
            probe.sample(sink);
            assertThat(sink.gauges).containsKey("postgresql.active");
        } finally {
            probe.close();
        }
    }

    @Test
    void aWrongPasswordIsSaidWithoutShowingIt() {
        PostgresProbe probe = new PostgresProbe(new Database(NODE.jdbcUrl(), NODE.user(), "not-this-one"));
        assertThatThrownBy(() -> probe.sample(sink))
                .isInstanceOf(SQLException.class)
                .hasMessageNotContaining("not-this-one");
        assertThat(probe.name()).doesNotContain("not-this-one");
    }

    private static Database database() {
        return new Database(NODE.jdbcUrl(), NODE.user(), NODE.password());
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(NODE.jdbcUrl(), NODE.user(), NODE.password());
    }
}

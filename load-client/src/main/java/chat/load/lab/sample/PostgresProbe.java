package chat.load.lab.sample;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Samples PostgreSQL's statistics. Series after {@code postgresql}:
 *
 * <ul>
 *   <li>per second: {@code commits} (this probe's own included), {@code rollbacks}, {@code inserted} (rows),
 *       {@code blocksRead} (not found in the cache), {@code tempBytes}, {@code deadlocks}, {@code walBytes},
 *       {@code walSyncs}, {@code walBuffersFull}, {@code checkpointBuffers} (written by checkpoints)
 *   <li>{@code cacheHit}: share of the requested blocks that were in the cache
 *   <li>{@code sessions}, {@code active}; of these {@code running}, {@code waitIo}, {@code waitLock},
 *       {@code waitLwLock}, {@code waitOther}; {@code idleInTransaction}; {@code waitingLocks}, of all databases
 *   <li>every 10 s: {@code tableBytes}, {@code indexBytes}, {@code deadRows}
 * </ul>
 *
 * Version 14 or later.
 *
 * @see <a href="https://www.postgresql.org/docs/current/monitoring-stats.html">the statistics system</a>
 */
final class PostgresProbe implements Probe {
    private static final String NAME = ProcessFinder.POSTGRESQL;
    private static final String SECONDS_TO_WAIT = "2";
    private static final int SIZES_EVERY = 10;

    private static final String SIZES = """
            SELECT sum(pg_table_size(relid)) AS table_bytes, sum(pg_indexes_size(relid)) AS index_bytes,
                   sum(n_dead_tup) AS dead_rows
            FROM pg_stat_user_tables
            """;

    private final Database database;
    private @Nullable Connected connected;
    private int asked;

    /** Prepared once: the statements are the same each second. */
    private record Connected(Connection connection, PreparedStatement activity, PreparedStatement sizes) {}

    PostgresProbe(Database database) {
        this.database = database;
    }

    @Override
    public String name() {
        return "PostgreSQL at " + database;
    }

    @Override
    public void sample(Sink sink) throws SQLException {
        Connected open = connected;
        try {
            if (open == null) {
                open = connect();
                connected = open;
            }
            try (ResultSet row = open.activity.executeQuery()) {
                if (row.next()) activity(row, sink);
            }
            if (asked++ % SIZES_EVERY != 0) return;
            try (ResultSet row = open.sizes.executeQuery()) {
                if (row.next()) sizes(row, sink);
            }
        } catch (SQLException lost) {
            close();
            throw lost;
        }
    }

    private Connected connect() throws SQLException {
        Properties properties = new Properties();
        if (!database.user().isEmpty()) properties.setProperty("user", database.user());
        if (!database.password().isEmpty()) properties.setProperty("password", database.password());
        properties.setProperty("ApplicationName", "load client");
        properties.setProperty("connectTimeout", SECONDS_TO_WAIT);
        properties.setProperty("socketTimeout", SECONDS_TO_WAIT);
        Connection connection = DriverManager.getConnection(database.url(), properties);
        try {
            int version = connection.getMetaData().getDatabaseMajorVersion();
            return new Connected(
                    connection, connection.prepareStatement(activitySql(version)), connection.prepareStatement(SIZES));
        } catch (SQLException unusable) {
            connection.close();
            throw unusable;
        }
    }

    /** Some counters have moved from view to view. */
    private static String activitySql(int version) {
        return """
            SELECT extract(epoch FROM pg_postmaster_start_time()) AS started,
                   d.xact_commit, d.xact_rollback, d.blks_hit, d.blks_read, d.tup_inserted, d.temp_bytes, d.deadlocks,
                   w.wal_bytes, w.wal_buffers_full, %s AS wal_syncs, %s AS checkpoint_buffers,
                   (SELECT count(*) FROM pg_locks WHERE NOT granted) AS waiting_locks,
                   a.*
            FROM pg_stat_database d, pg_stat_wal w,
                 (SELECT count(*) AS sessions,
                         count(*) FILTER (WHERE state = 'active') AS active,
                         count(*) FILTER (WHERE state = 'active' AND wait_event_type IS NULL) AS running,
                         count(*) FILTER (WHERE state = 'active' AND wait_event_type = 'IO') AS wait_io,
                         count(*) FILTER (WHERE state = 'active' AND wait_event_type = 'Lock') AS wait_lock,
                         count(*) FILTER (WHERE state = 'active' AND wait_event_type = 'LWLock') AS wait_lw_lock,
                         count(*) FILTER (WHERE state LIKE 'idle in transaction%%') AS idle_in_transaction
                  FROM pg_stat_activity
                  WHERE datname = current_database() AND pid <> pg_backend_pid()) a
            WHERE d.datname = current_database()
            """.formatted(
                        version >= 18 ? "(SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal')" : "w.wal_sync",
                        version >= 17
                                ? "(SELECT buffers_written FROM pg_stat_checkpointer)"
                                : "(SELECT buffers_checkpoint FROM pg_stat_bgwriter)");
    }

    private static void activity(ResultSet row, Sink sink) throws SQLException {
        long life = Math.round(row.getDouble("started") * 1e3);
        count(sink, "commits", life, row.getDouble("xact_commit"));
        count(sink, "rollbacks", life, row.getDouble("xact_rollback"));
        count(sink, "inserted", life, row.getDouble("tup_inserted"));
        count(sink, "blocksRead", life, row.getDouble("blks_read"));
        count(sink, "tempBytes", life, row.getDouble("temp_bytes"));
        count(sink, "deadlocks", life, row.getDouble("deadlocks"));
        count(sink, "walBytes", life, row.getDouble("wal_bytes"));
        count(sink, "walSyncs", life, row.getDouble("wal_syncs"));
        count(sink, "walBuffersFull", life, row.getDouble("wal_buffers_full"));
        count(sink, "checkpointBuffers", life, row.getDouble("checkpoint_buffers"));
        double hits = row.getDouble("blks_hit");
        sink.quotient(NAME + ".cacheHit", life, hits, hits + row.getDouble("blks_read"));
        double active = row.getDouble("active");
        double running = row.getDouble("running");
        double io = row.getDouble("wait_io");
        double lock = row.getDouble("wait_lock");
        double lightweight = row.getDouble("wait_lw_lock");
        sink.gauge(NAME + ".sessions", row.getDouble("sessions"));
        sink.gauge(NAME + ".active", active);
        sink.gauge(NAME + ".running", running);
        sink.gauge(NAME + ".waitIo", io);
        sink.gauge(NAME + ".waitLock", lock);
        sink.gauge(NAME + ".waitLwLock", lightweight);
        sink.gauge(NAME + ".waitOther", active - running - io - lock - lightweight);
        sink.gauge(NAME + ".idleInTransaction", row.getDouble("idle_in_transaction"));
        sink.gauge(NAME + ".waitingLocks", row.getDouble("waiting_locks"));
    }

    private static void count(Sink sink, String metric, long life, double total) {
        sink.counter(NAME + "." + metric, life, total);
    }

    private static void sizes(ResultSet row, Sink sink) throws SQLException {
        sink.gauge(NAME + ".tableBytes", row.getDouble("table_bytes"));
        sink.gauge(NAME + ".indexBytes", row.getDouble("index_bytes"));
        sink.gauge(NAME + ".deadRows", row.getDouble("dead_rows"));
    }

    /** Also called after a failed query. */
    @Override
    public void close() {
        Connected open = connected;
        connected = null;
        if (open == null) return;
        try {
            open.connection.close();
        } catch (SQLException gone) {
            // Nothing depends on it.
        }
    }
}

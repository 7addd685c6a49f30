package chat.bench.asking;

import chat.nodes.PostgresNode;
import chat.persistence.batch.StoreUnavailable;
import chat.persistence.rollup.PendingRollups;
import chat.persistence.rollup.RollupSettings;
import chat.persistence.rollup.Rollups;
import chat.persistence.store.Pools;
import chat.persistence.store.PostgresProperties;
import chat.persistence.store.PostgresStore;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Fills the consumer's tables in its own PostgreSQL with messages of the days before {@link #end}. */
final class Archive {
    static final int ROOMS = 20;
    static final int USERS = 100_000;

    private static final int CHUNK = 100_000;

    /** Distribution of messages over the users, numbered 1 to {@link #USERS}. */
    enum Users {
        /** Uniform: the worst case for statistics by user. */
        UNIFORM("1 + (random() * (%d - 1))::int"),
        /** Weight 1/n: e to the power of a uniform value. */
        ZIPF("exp(random() * ln(%d))::int");

        private final String sql;

        Users(String sql) {
            this.sql = String.format(Locale.ROOT, sql, USERS);
        }

        static Users parse(String name) {
            return valueOf(name.toUpperCase(Locale.ROOT));
        }
    }

    private final PostgresNode node;
    private final Instant begin;
    private final Instant end = Instant.now();

    Archive(PostgresNode node, Duration length) {
        this.node = node;
        this.begin = end.minus(length);
    }

    Instant begin() {
        return begin;
    }

    Instant end() {
        return end;
    }

    /** @param explained whether PostgreSQL logs the plans of queries */
    Pools pools(boolean explained, MeterRegistry meters) {
        String options = "-c%20session_preload_libraries=auto_explain%20-c%20auto_explain.log_min_duration=0"
                + "%20-c%20auto_explain.log_analyze=on%20-c%20auto_explain.log_buffers=on"
                + "%20-c%20auto_explain.log_nested_statements=on";
        String url = node.jdbcUrl();
        return new Pools(
                new PostgresProperties(
                        url,
                        node.user(),
                        node.password(),
                        explained ? url + "?options=" + options : url,
                        "",
                        "",
                        Duration.ofSeconds(3),
                        Duration.ofMinutes(1),
                        new PostgresProperties.Reading(10, Duration.ofSeconds(30)),
                        new PostgresProperties.Aggregating(Duration.ofMinutes(10))),
                1,
                meters);
    }

    static PostgresStore store(Pools pools) {
        return new PostgresStore(pools.writing(), new PendingRollups(), Clock.systemUTC());
    }

    static Rollups rollups(Pools pools, MeterRegistry meters) {
        return new Rollups(
                pools.aggregating(),
                new RollupSettings(Duration.ofSeconds(2), Duration.ofMinutes(1)),
                meters,
                Clock.systemUTC());
    }

    void execute(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) statement.execute(sql);
        }
    }

    List<String> column(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> column = new ArrayList<>();
            while (rows.next()) column.add(rows.getString(1));
            return column;
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(node.jdbcUrl(), node.user(), node.password());
    }

    void create(Pools pools) throws SQLException, StoreUnavailable {
        store(pools).prepare();
        execute(
                "INSERT INTO rooms (room_id) SELECT n::text FROM generate_series(1, " + ROOMS + ") n",
                "INSERT INTO users (user_id) SELECT n::text FROM generate_series(1, " + USERS + ") n");
    }

    /**
     * Adds messages as a writer would, spread from the first to the last time.
     *
     * @param before rows that exist
     * @param rows rows afterwards
     * @param of final number of rows, which determines the timestamps
     */
    void fill(long before, long rows, long of, Users users) throws SQLException {
        double millis = (double) Duration.between(begin, end).toMillis() / of;
        for (long from = before; from < rows; from += CHUNK)
            execute(String.format(
                    Locale.ROOT, """
                    WITH made AS (
                        SELECT n, timestamptz '%s' + (n * %s)::bigint * interval '1 ms' AS at, %s AS usr,
                               1 + (random() * (%d - 1))::int AS room
                        FROM generate_series(%d, %d) AS n),
                    stored AS (
                        INSERT INTO messages (message_id, position, timestamp, created_at, room, usr, username, message_type, content, server_id, client_ip)
                        SELECT uuidv7(at - clock_timestamp()), n * 16, at, at, room, usr, 'user' || usr, 'TEXT',
                               repeat(md5(n::text), 3) || 'abcd', 'server-1-4f9c2a', '10.1.2.3'
                        FROM made
                        RETURNING timestamp, room, usr, position)
                    INSERT INTO rollup_pending (messages, events)
                    SELECT count(*), '\\x00'::bytea || string_agg(
                        int8send((extract(epoch FROM timestamp) * 1000)::bigint) || int4send(room) || int4send(usr), ''::bytea
                        ORDER BY position)
                    FROM stored GROUP BY position / 16 / 5000""", begin, millis, users.sql, ROOMS, from, Math.min(from + CHUNK, rows) - 1));
    }
}

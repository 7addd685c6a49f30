package chat.bench.writing;

import chat.bench.process.Cpu;
import chat.nodes.PostgresNode;
import chat.persistence.batch.StoreUnavailable;
import chat.persistence.store.Pools;
import chat.persistence.store.PostgresProperties;
import chat.persistence.store.PostgresStore;
import chat.persistence.store.RowsStoredListener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.stream.Stream;

/** Creates and fills the consumer's tables in its own PostgreSQL. */
final class Table {
    private final PostgresNode node;

    Table(PostgresNode node) {
        this.node = node;
    }

    /** @param way determines the driver's settings */
    Connection connect(Way way) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", node.user());
        properties.setProperty("password", node.password());
        properties.setProperty("reWriteBatchedInserts", Boolean.toString(way == Way.REWRITTEN));
        Connection connection = DriverManager.getConnection(node.jdbcUrl(), properties);
        connection.setAutoCommit(false);
        return connection;
    }

    /** Returns the CPU time of all of PostgreSQL's processes, also of those that have ended, in nanoseconds. */
    long cpuNanos() {
        long ended;
        long live;
        do { // again if a process has ended meanwhile, which would count twice or not at all
            ended = Cpu.ofEndedChildren(node.pid());
            live = ProcessHandle.of(node.pid()).stream()
                    .flatMap(server -> Stream.concat(Stream.of(server), server.descendants()))
                    .mapToLong(process -> Cpu.nanos(process.pid()))
                    .sum();
        } while (ended != Cpu.ofEndedChildren(node.pid()));
        return live + ended;
    }

    Pools pools(SimpleMeterRegistry meters, int partitions) {
        return new Pools(
                new PostgresProperties(
                        node.jdbcUrl(),
                        node.user(),
                        node.password(),
                        "",
                        "",
                        "",
                        Duration.ofSeconds(3),
                        Duration.ofMinutes(1),
                        new PostgresProperties.Reading(1, Duration.ofMinutes(1)),
                        new PostgresProperties.Aggregating(Duration.ofMinutes(1))),
                partitions,
                meters);
    }

    static PostgresStore store(Pools pools, RowsStoredListener listener) {
        return new PostgresStore(pools.writing(), listener, Clock.systemUTC());
    }

    void execute(String... statements) throws SQLException {
        try (Connection connection = connect(Way.UNNEST);
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(true);
            for (String sql : statements) statement.execute(sql);
        }
    }

    List<String> column(String sql) throws SQLException {
        try (Connection connection = connect(Way.UNNEST);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> column = new ArrayList<>();
            while (rows.next()) column.add(rows.getString(1));
            return column;
        }
    }

    /**
     * Creates the consumer's tables with rows of the days before, with the same users and rooms as later rows. Builds
     * the indexes afterwards, which takes a fraction of the time.
     */
    void create(long rows) throws SQLException, StoreUnavailable {
        execute("DROP SCHEMA public CASCADE", "CREATE SCHEMA public");
        try (Pools pools = pools(new SimpleMeterRegistry(), 1)) {
            store(pools, RowsStoredListener.NONE).prepare();
        }
        execute(
                "INSERT INTO rooms (room_id) SELECT 'room-' || n FROM generate_series(1, " + Messages.ROOMS + ") n",
                "INSERT INTO users (user_id) SELECT n FROM generate_series(1, " + Messages.USERS + ") n");
        if (rows > 0) {
            List<String> indexes = column(INDEXES);
            for (String index : indexes) execute(index.substring(0, index.indexOf('|')));
            execute(fill(rows));
            for (String index : indexes) execute(index.substring(index.indexOf('|') + 1));
        }
        execute("VACUUM ANALYZE", "CHECKPOINT");
    }

    /** Statements that drop and create each index, separated by a bar. */
    private static final String INDEXES = """
            SELECT 'DROP INDEX ' || indexrelid::regclass || '|' || replace(pg_get_indexdef(indexrelid), ' ONLY ', ' ')
            FROM pg_index WHERE indrelid = 'messages'::regclass AND NOT indisprimary""";

    /** Returns SQL that inserts one row for each millisecond until now. */
    private static String fill(long rows) {
        return String.format(Locale.ROOT, """
                INSERT INTO messages (message_id, position, timestamp, created_at, room, usr, username, message_type, content, server_id, client_ip)
                SELECT uuidv7(-ago * interval '1 ms'), %3$d - ago, now() - ago * interval '1 ms', now() - ago * interval '1 ms',
                  1 + (random() * %1$d)::int %% %1$d, usr, 'user' || usr, 'TEXT', repeat(md5(ago::text), 3) || 'abcd',
                  'server-1-4f9c2a', '10.1.2.3'
                FROM (SELECT n AS ago, 1 + (random() * %2$d)::int %% %2$d AS usr FROM generate_series(%3$d, 1, -1) n) AS numbers""", Messages.ROOMS, Messages.USERS, rows);
    }

    /** Omits the part of the table that the case is measured without. */
    void leaveOut(String without) throws SQLException {
        switch (without) {
            case "nothing", "wait" -> {}
            case "indexes" -> {
                for (String index : column(INDEXES)) execute(index.substring(0, index.indexOf('|')));
            }
            case "wal" -> {
                for (String partition :
                        column("SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'messages'::regclass"))
                    execute("ALTER TABLE " + partition + " SET UNLOGGED");
            }
            default -> execute("DROP INDEX " + without);
        }
    }

    long count() throws SQLException {
        return Long.parseLong(column("SELECT count(*) FROM messages").getFirst());
    }

    /** Returns the bytes per row of the table and of each index. */
    List<String> sizes() throws SQLException {
        return column("""
                WITH leaf AS (SELECT inhrelid AS leaf FROM pg_inherits WHERE inhparent = 'messages'::regclass)
                SELECT format('| %s | %s | %s |', what, pg_size_pretty(bytes), round(bytes / rows, 1))
                FROM (SELECT 'rows' AS what, sum(pg_relation_size(leaf)) AS bytes, 0 AS rank FROM leaf
                  UNION ALL
                  SELECT parent.inhparent::regclass::text, sum(pg_relation_size(indexrelid)), 1 FROM leaf
                  JOIN pg_index ON indrelid = leaf JOIN pg_inherits parent ON parent.inhrelid = indexrelid GROUP BY 1) AS parts,
                  (SELECT count(*)::numeric AS rows FROM messages) AS total
                ORDER BY rank, what""");
    }
}

package chat.bench.writing;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;

/** Inserts a batch of rows in different ways. */
enum Way {
    /** One statement and transaction per row. */
    SINGLE {
        @Override
        void insert(Connection connection, List<Row> rows) throws SQLException {
            try (PreparedStatement insert = connection.prepareStatement(VALUES)) {
                for (Row row : rows) {
                    bind(insert, 0, row);
                    insert.executeUpdate();
                    connection.commit();
                }
            }
        }
    },
    /** JDBC batches: one statement per row, sent together. */
    BATCH {
        @Override
        void insert(Connection connection, List<Row> rows) throws SQLException {
            jdbcBatch(connection, rows);
        }
    },
    /** JDBC batches with {@code reWriteBatchedInserts}: the driver combines up to 128 rows in a statement. */
    REWRITTEN {
        @Override
        void insert(Connection connection, List<Row> rows) throws SQLException {
            jdbcBatch(connection, rows);
        }
    },
    /** One statement with a parameter for each value. */
    VALUES_LIST {
        @Override
        void insert(Connection connection, List<Row> rows) throws SQLException {
            String sql = VALUES.replace(ONE_ROW, String.join(", ", Collections.nCopies(rows.size(), ONE_ROW)));
            try (PreparedStatement insert = connection.prepareStatement(sql)) {
                for (int i = 0; i < rows.size(); i++) bind(insert, i * 10, rows.get(i));
                insert.executeUpdate();
            }
            connection.commit();
        }
    },
    /** One statement with an array for each column, as the consumer does. */
    UNNEST {
        @Override
        void insert(Connection connection, List<Row> rows) throws SQLException {
            try (PreparedStatement insert = connection.prepareStatement("""
                    INSERT INTO messages (message_id, position, timestamp, room, usr, username, message_type, content, server_id, client_ip)
                    SELECT id, at, timestamptz 'epoch' + ms * interval '1 millisecond', room, usr, name, type, text, server, ip::inet
                    FROM unnest(?::uuid[], ?::bigint[], ?::bigint[], ?::integer[], ?::integer[], ?::text[], ?::text[],
                      ?::text[], ?::text[], ?::text[]) AS t (id, at, ms, room, usr, name, type, text, server, ip)
                    ON CONFLICT (message_id, room, usr) DO NOTHING""")) {
                insert.setArray(
                        1,
                        connection.createArrayOf(
                                "uuid", rows.stream().map(Row::id).toArray(UUID[]::new)));
                insert.setObject(2, rows.stream().mapToLong(Row::position).toArray());
                insert.setObject(3, rows.stream().mapToLong(Row::millis).toArray());
                insert.setObject(4, rows.stream().mapToInt(Row::room).toArray());
                insert.setObject(5, rows.stream().mapToInt(Row::user).toArray());
                texts(connection, insert, 6, rows, Row::username);
                texts(connection, insert, 7, rows, row -> Row.TYPE);
                texts(connection, insert, 8, rows, Row::content);
                texts(connection, insert, 9, rows, row -> Row.SERVER);
                texts(connection, insert, 10, rows, row -> Row.ADDRESS);
                insert.executeUpdate();
            }
            connection.commit();
        }
    },
    /** Binary COPY into a temporary table, then one statement that inserts from it. */
    COPY {
        @Override
        void begin(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE TEMPORARY TABLE staging ON COMMIT DELETE ROWS AS SELECT " + COLUMNS
                        + " FROM messages LIMIT 0");
            }
            connection.commit();
        }

        @Override
        void insert(Connection connection, List<Row> rows) throws SQLException {
            copy(connection, "staging", rows);
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("INSERT INTO messages (" + COLUMNS + ") SELECT " + COLUMNS
                        + " FROM staging ON CONFLICT (message_id, room, usr) DO NOTHING");
            }
            connection.commit();
        }
    },
    /** Binary COPY into the table itself: it does not allow duplicates, so it is only an upper bound. */
    STRAIGHT {
        @Override
        void insert(Connection connection, List<Row> rows) throws SQLException {
            copy(connection, "messages", rows);
            connection.commit();
        }
    };

    private static final String COLUMNS =
            "message_id, position, timestamp, room, usr, username, message_type, content, server_id, client_ip";
    private static final String ONE_ROW = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?::inet)";
    private static final String VALUES = "INSERT INTO messages (" + COLUMNS + ") VALUES " + ONE_ROW
            + " ON CONFLICT (message_id, room, usr) DO NOTHING";

    /** Prepares a connection before the measurement. */
    void begin(Connection connection) throws SQLException {}

    /** Inserts and commits. */
    abstract void insert(Connection connection, List<Row> rows) throws SQLException;

    private static void jdbcBatch(Connection connection, List<Row> rows) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(VALUES)) {
            for (Row row : rows) {
                bind(insert, 0, row);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        connection.commit();
    }

    private static void bind(PreparedStatement insert, int before, Row row) throws SQLException {
        insert.setObject(before + 1, row.id());
        insert.setLong(before + 2, row.position());
        insert.setTimestamp(before + 3, new Timestamp(row.millis()));
        insert.setInt(before + 4, row.room());
        insert.setInt(before + 5, row.user());
        insert.setString(before + 6, row.username());
        insert.setString(before + 7, Row.TYPE);
        insert.setString(before + 8, row.content());
        insert.setString(before + 9, Row.SERVER);
        insert.setString(before + 10, Row.ADDRESS);
    }

    private static void texts(
            Connection connection, PreparedStatement insert, int column, List<Row> rows, Function<Row, String> value)
            throws SQLException {
        insert.setArray(
                column,
                connection.createArrayOf("text", rows.stream().map(value).toArray(String[]::new)));
    }

    private static void copy(Connection connection, String table, List<Row> rows) throws SQLException {
        CopyBytes bytes = new CopyBytes();
        for (Row row : rows) {
            bytes.row(10);
            bytes.uuid(row.id());
            bytes.int8(row.position());
            bytes.timestamp(row.millis());
            bytes.int4(row.room());
            bytes.int4(row.user());
            bytes.text(row.username());
            bytes.text(Row.TYPE);
            bytes.text(row.content());
            bytes.text(Row.SERVER);
            bytes.inet4(10, 1, 2, 3);
        }
        try {
            CopyManager copy = new CopyManager(connection.unwrap(BaseConnection.class));
            copy.copyIn("COPY " + table + " (" + COLUMNS + ") FROM STDIN (FORMAT binary)", bytes.end());
        } catch (IOException impossible) {
            throw new SQLException(impossible);
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Way parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}

package chat.persistence.store;

import chat.persistence.batch.RowsRejected;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** Inserts any number of rows in one statement. docs/measurements/README.md, "Writing", compares the alternatives. */
final class MessageInsert {
    private static final String INSERT = """
            INSERT INTO messages
              (message_id, position, timestamp, room, usr, username, message_type, content, server_id, client_ip,
               display_name)
            SELECT id, at, timestamptz 'epoch' + ms * interval '1 millisecond', room, usr, name, type, text, server, ip::inet,
              display
            FROM unnest(?::uuid[], ?::bigint[], ?::bigint[], ?::integer[], ?::integer[], ?::text[], ?::text[], ?::text[],
              ?::text[], ?::text[], ?::text[]) AS t(id, at, ms, room, usr, name, type, text, server, ip, display)
            ON CONFLICT (message_id, room, usr) DO NOTHING""";

    private MessageInsert() {}

    /**
     * Inserts all rows that do not exist yet, or none.
     *
     * @return number of new rows
     * @throws RowsRejected the transaction must be rolled back
     */
    static int of(Connection connection, List<KeyedRow> rows) throws SQLException, RowsRejected {
        if (rows.isEmpty()) return 0;
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            RowArrays arrays = new RowArrays(connection, rows);
            insert.setArray(1, arrays.ids());
            insert.setObject(2, arrays.longs(row -> row.message().position()));
            insert.setObject(3, arrays.longs(row -> row.message().timestamp()));
            insert.setObject(4, arrays.ints(KeyedRow::room));
            insert.setObject(5, arrays.ints(KeyedRow::user));
            insert.setArray(6, arrays.texts(row -> row.message().username()));
            insert.setArray(7, arrays.texts(row -> row.message().type().name()));
            insert.setArray(8, arrays.texts(row -> row.message().content()));
            insert.setArray(9, arrays.texts(row -> row.message().serverId()));
            insert.setArray(10, arrays.texts(row -> row.message().clientIp()));
            insert.setArray(11, arrays.texts(row -> row.message().displayName()));
            return insert.executeUpdate();
        } catch (SQLException failed) {
            throw SqlFailure.orRefusal(failed);
        }
    }
}

package chat.persistence.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Tells what a transaction has inserted from what was there before, and messages that were sent twice from others that
 * only have the same id: those were accepted, too, but the id is another message's. Asked only about a batch of which not
 * all rows were new.
 *
 * @param fresh rows that this transaction has inserted, in order
 * @param conflicts rows under the id of a stored one that says something else
 */
record Known(List<NumberedRow> fresh, List<NumberedRow> conflicts) {

    // A place in the log is stored by one transaction only, and that one's rows have its time.
    private static final String COMPARE = """
            SELECT sent.number,
              stored.position = sent.at AND stored.created_at = now() AS fresh,
              (stored.room, stored.usr, stored.username, stored.message_type)
                <> (sent.room, sent.usr, sent.name, sent.type) OR stored.content IS DISTINCT FROM sent.text AS conflict
            FROM unnest(?::uuid[], ?::bigint[], ?::integer[], ?::integer[], ?::text[], ?::text[], ?::text[])
              WITH ORDINALITY AS sent(id, at, room, usr, name, type, text, number)
            JOIN messages stored ON stored.message_id = sent.id
            ORDER BY sent.number""";

    /** @param rows that are all in the table now, by this transaction or an earlier message under their id */
    static Known among(Connection connection, List<NumberedRow> rows) throws SQLException {
        Known known = new Known(new ArrayList<>(), new ArrayList<>());
        Set<Long> freshPositions = new HashSet<>();
        try (PreparedStatement select = connection.prepareStatement(COMPARE)) {
            RowArrays arrays = new RowArrays(connection, rows);
            select.setArray(1, arrays.ids());
            select.setObject(2, arrays.longs(row -> row.message().position()));
            select.setObject(3, arrays.ints(NumberedRow::room));
            select.setObject(4, arrays.ints(NumberedRow::user));
            select.setArray(5, arrays.texts(row -> row.message().username()));
            select.setArray(6, arrays.texts(row -> row.message().type().name()));
            select.setArray(7, arrays.texts(row -> row.message().content()));
            try (ResultSet compared = select.executeQuery()) {
                while (compared.next()) {
                    NumberedRow row = rows.get(compared.getInt(1) - 1);
                    if (compared.getBoolean(3)) known.conflicts.add(row);
                    else if (compared.getBoolean(2)
                            && freshPositions.add(row.message().position())) known.fresh.add(row);
                }
            }
        }
        return known;
    }
}

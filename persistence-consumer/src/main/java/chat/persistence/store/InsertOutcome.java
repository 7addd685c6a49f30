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
 * Classifies rows after an insert that skipped some. A message equals a stored one if its id, room, sender, type and
 * text match and, for a JOIN or LEAVE, its intake time too.
 *
 * @param fresh rows that this transaction has inserted, in order
 * @param duplicates number of rows that were stored already
 * @param conflicts rows whose sender has stored another message under their id
 * @param swallowed rows that are missing from the table although nothing rejected them: a trigger or rule dropped them
 */
record InsertOutcome(List<KeyedRow> fresh, int duplicates, List<KeyedRow> conflicts, List<KeyedRow> swallowed) {

    // Only one transaction stores a given log position, so rows with its timestamp are its own.
    private static final String COMPARE = """
            SELECT stored.message_id IS NULL AS swallowed,
              stored.message_type <> sent.type OR stored.content IS DISTINCT FROM sent.text
                OR sent.type <> 'TEXT' AND stored.timestamp <> timestamptz 'epoch' + sent.ms * interval '1 millisecond'
                AS conflict,
              stored.position = sent.at AND stored.created_at = now() AS fresh
            FROM unnest(?::uuid[], ?::bigint[], ?::bigint[], ?::integer[], ?::integer[], ?::text[], ?::text[])
              WITH ORDINALITY AS sent(id, at, ms, room, usr, type, text, number)
            LEFT JOIN messages stored ON (stored.message_id, stored.room, stored.usr) = (sent.id, sent.room, sent.usr)
            ORDER BY sent.number""";

    /** All rows are new. */
    static InsertOutcome fresh(List<KeyedRow> rows) {
        return new InsertOutcome(rows, 0, List.of(), List.of());
    }

    /** @param rows that this transaction has tried to insert */
    static InsertOutcome among(Connection connection, List<KeyedRow> rows) throws SQLException {
        List<KeyedRow> fresh = new ArrayList<>();
        List<KeyedRow> conflicts = new ArrayList<>();
        List<KeyedRow> swallowed = new ArrayList<>();
        Set<Long> freshPositions = new HashSet<>();
        try (PreparedStatement select = connection.prepareStatement(COMPARE)) {
            RowArrays arrays = new RowArrays(connection, rows);
            select.setArray(1, arrays.ids());
            select.setObject(2, arrays.longs(row -> row.message().position()));
            select.setObject(3, arrays.longs(row -> row.message().timestamp()));
            select.setObject(4, arrays.ints(KeyedRow::room));
            select.setObject(5, arrays.ints(KeyedRow::user));
            select.setArray(6, arrays.texts(row -> row.message().type().name()));
            select.setArray(7, arrays.texts(row -> row.message().content()));
            try (ResultSet compared = select.executeQuery()) {
                for (KeyedRow row : rows) {
                    if (!compared.next())
                        throw new SQLException("the comparison returned fewer rows than it was given");
                    if (compared.getBoolean(1)) swallowed.add(row);
                    else if (compared.getBoolean(2)) conflicts.add(row);
                    else if (compared.getBoolean(3)
                            && freshPositions.add(row.message().position())) fresh.add(row);
                }
            }
        }
        int duplicates = rows.size() - fresh.size() - conflicts.size() - swallowed.size();
        return new InsertOutcome(fresh, duplicates, conflicts, swallowed);
    }
}

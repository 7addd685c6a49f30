package chat.persistence.store;

import chat.persistence.batch.DeadLetter;
import chat.persistence.batch.MessageRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Tells messages that were sent twice from others that only have the same id: those were accepted, too, but the id is
 * another message's. Asked only about a batch of which not all rows were new.
 */
final class Conflicts {
    /** The reason of their dead letters. */
    static final String REASON = "CONFLICT";

    private static final String DIFFERING = """
            SELECT sent.number
            FROM unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[]) WITH ORDINALITY
              AS sent(id, room, u, name, type, text, number)
            JOIN messages stored ON stored.message_id = sent.id
            WHERE (stored.room_id, stored.user_id, stored.username, stored.message_type)
                  <> (sent.room, sent.u, sent.name, sent.type)
               OR stored.content IS DISTINCT FROM sent.text
            ORDER BY sent.number""";

    private Conflicts() {}

    /** @param rows that are all in the table now, by this batch or an earlier message under their id */
    static List<DeadLetter> among(Connection connection, List<MessageRow> rows) throws SQLException {
        List<DeadLetter> conflicts = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(DIFFERING)) {
            int column = 0;
            select.setArray(++column, RowArrays.of(connection, "uuid", rows, MessageRow::messageId, UUID[]::new));
            select.setArray(++column, RowArrays.of(connection, "text", rows, MessageRow::roomId, String[]::new));
            select.setArray(++column, RowArrays.of(connection, "text", rows, MessageRow::userId, String[]::new));
            select.setArray(++column, RowArrays.of(connection, "text", rows, MessageRow::username, String[]::new));
            select.setArray(
                    ++column,
                    RowArrays.of(connection, "text", rows, row -> row.type().name(), String[]::new));
            select.setArray(++column, RowArrays.of(connection, "text", rows, MessageRow::content, String[]::new));
            try (ResultSet differing = select.executeQuery()) {
                while (differing.next())
                    conflicts.add(rows.get(differing.getInt(1) - 1).refused(REASON));
            }
        }
        return conflicts;
    }
}

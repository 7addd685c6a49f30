package chat.persistence.store;

import chat.persistence.batch.DeadLetter;
import chat.persistence.batch.Gap;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** Keeps what could not become a row, and what was gone before it could be read. */
final class Losses {
    private static final int MAX_TEXT = 1000;

    private Losses() {}

    static void write(Connection connection, int partition, List<DeadLetter> letters) throws SQLException {
        if (letters.isEmpty()) return;
        // The same can come twice: in an entry that could not be marked as dealt with.
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO dead_letter (message_id, partition, position, room_id, reason, bytes)
                VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING""")) {
            for (DeadLetter letter : letters) {
                insert.setObject(1, letter.messageId());
                insert.setInt(2, partition);
                insert.setLong(3, letter.position());
                insert.setString(4, letter.roomId() == null ? null : printable(letter.roomId()));
                insert.setString(5, printable(letter.reason()));
                insert.setBytes(6, letter.bytes());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /** PostgreSQL's texts hold no NUL, and what is refused for one must not be refused again here. */
    static String printable(String text) {
        String clean = text.replace('\0', '?');
        return clean.length() > MAX_TEXT ? clean.substring(0, MAX_TEXT) : clean;
    }

    static void writeGaps(Connection connection, int partition, List<Gap> gaps) throws SQLException {
        if (gaps.isEmpty()) return;
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO log_gap (partition, reason, from_position, to_position) VALUES (?, ?, ?, ?)")) {
            for (Gap gap : gaps) {
                insert.setInt(1, partition);
                insert.setString(2, gap.reason());
                insert.setLong(3, gap.from());
                insert.setLong(4, gap.to());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }
}

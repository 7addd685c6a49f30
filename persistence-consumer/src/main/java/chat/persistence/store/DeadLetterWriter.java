package chat.persistence.store;

import chat.persistence.batch.DeadLetter;
import chat.persistence.batch.Gap;
import chat.persistence.batch.UnstoredMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Writes dead letters and gaps of the log. */
final class DeadLetterWriter {
    private static final int MAX_TEXT = 1000;

    /** A letter can be written twice: an entry with an unreadable header is read again, and a replay can fail again. */
    private static final String INSERT = """
            INSERT INTO dead_letter
              (message_id, partition, position, room_id, reason, server_id, client_ip, bytes, user_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (partition, position, message_id) DO UPDATE SET reason = excluded.reason""";

    private DeadLetterWriter() {}

    static void write(Connection connection, int partition, List<DeadLetter> letters) throws SQLException {
        if (letters.isEmpty()) return;
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            for (DeadLetter letter : letters) {
                insert.setObject(1, letter.messageId());
                insert.setInt(2, partition);
                insert.setLong(3, letter.position());
                insert.setString(4, letter.roomId() == null ? null : printable(letter.roomId()));
                insert.setString(5, printable(letter.reason()));
                insert.setString(6, letter.serverId() == null ? null : printable(letter.serverId()));
                insert.setString(7, letter.clientIp() == null ? null : printable(letter.clientIp()));
                insert.setBytes(8, letter.bytes());
                insert.setString(9, letter.userId() == null ? null : printable(letter.userId()));
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /** Messages after a position that have an open or discarded letter: the last {@code limit} of them, ascending. */
    static List<UnstoredMessage> messagesAfter(Connection connection, int partition, long position, int limit)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT position, message_id, room_id, user_id FROM dead_letter
                WHERE partition = ? AND position > ? AND message_id IS NOT NULL AND resolution IS DISTINCT FROM 'REPLAYED'
                ORDER BY position DESC LIMIT ?""")) {
            select.setInt(1, partition);
            select.setLong(2, position);
            select.setInt(3, limit);
            List<UnstoredMessage> messages = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next())
                    messages.add(new UnstoredMessage(
                            rows.getLong(1), rows.getObject(2, UUID.class), rows.getString(3), rows.getString(4)));
            }
            return messages.reversed();
        }
    }

    /** PostgreSQL's text type cannot hold NUL: without this, a row rejected for it would be rejected here again. */
    static String printable(String text) {
        String clean = text.replace('\0', '?');
        return clean.length() > MAX_TEXT ? clean.substring(0, MAX_TEXT) : clean;
    }

    /**
     * Writes each gap once. A batch that does not move the position can be written twice: if its connection breaks
     * during the commit, nothing shows that it is stored.
     */
    static void writeGaps(Connection connection, int partition, List<Gap> gaps) throws SQLException {
        if (gaps.isEmpty()) return;
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO log_gap (partition, reason, from_position, to_position) VALUES (?, ?, ?, ?)
                ON CONFLICT (partition, to_position, from_position, reason) DO NOTHING""")) {
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

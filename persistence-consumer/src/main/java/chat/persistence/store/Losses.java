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

    private static final String INSERT = """
            INSERT INTO dead_letter (message_id, partition, position, room_id, reason, server_id, client_ip, bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)""";
    /** It can come twice: an entry whose header can't be read can't be marked as dealt with, either. */
    private static final String ENTRY =
            INSERT + " ON CONFLICT (partition, position) WHERE message_id IS NULL DO NOTHING";
    /** Refused again when it was replayed: for another reason, perhaps. */
    private static final String MESSAGE = INSERT
            + " ON CONFLICT (message_id, position) WHERE message_id IS NOT NULL DO UPDATE SET reason = excluded.reason";

    private Losses() {}

    static void write(Connection connection, int partition, List<DeadLetter> letters) throws SQLException {
        if (letters.isEmpty()) return;
        write(
                connection,
                partition,
                letters.stream().filter(letter -> letter.messageId() == null).toList(),
                ENTRY);
        write(
                connection,
                partition,
                letters.stream().filter(letter -> letter.messageId() != null).toList(),
                MESSAGE);
    }

    private static void write(Connection connection, int partition, List<DeadLetter> letters, String sql)
            throws SQLException {
        if (letters.isEmpty()) return;
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            for (DeadLetter letter : letters) {
                insert.setObject(1, letter.messageId());
                insert.setInt(2, partition);
                insert.setLong(3, letter.position());
                insert.setString(4, letter.roomId() == null ? null : printable(letter.roomId()));
                insert.setString(5, printable(letter.reason()));
                insert.setString(6, letter.serverId() == null ? null : printable(letter.serverId()));
                insert.setString(7, letter.clientIp() == null ? null : printable(letter.clientIp()));
                insert.setBytes(8, letter.bytes());
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

package chat.persistence.rollup;

import chat.persistence.store.KeyedRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * Computes how far the time of a room's message can be behind that of a message before it in the log. It is bounded
 * per room, so that a time range maps to a range of positions.
 */
public final class Disorder {
    /**
     * Minimum in milliseconds: clocks of servers differ, a message may wait half a minute, and the last seconds are
     * not counted yet.
     */
    public static final long LEAST_MILLIS = 60_000;

    /**
     * The latest time before a position and the earliest one after it. Both lie within the room's disorder of the
     * nearest message's time, which bounds the search.
     */
    private static final String AT_ITS_PLACE = """
            SELECT (1000 * extract(epoch FROM greatest(before.latest - m.timestamp, m.timestamp - behind.earliest)))::bigint
            FROM messages m
            CROSS JOIN LATERAL (
                SELECT greatest(?, (SELECT disorder_ms FROM room_total t WHERE t.room = m.room)) * interval '1 millisecond' AS most
            ) AS known
            CROSS JOIN LATERAL (
                SELECT max(b.timestamp) AS latest FROM messages b
                WHERE b.room = m.room AND b.position < m.position AND b.timestamp > m.timestamp AND b.timestamp <= known.most
                    + (SELECT timestamp FROM messages WHERE room = m.room AND position < m.position ORDER BY position DESC LIMIT 1)
            ) AS before
            CROSS JOIN LATERAL (
                SELECT min(b.timestamp) AS earliest FROM messages b
                WHERE b.room = m.room AND b.position > m.position AND b.timestamp < m.timestamp AND b.timestamp >=
                    (SELECT timestamp FROM messages WHERE room = m.room AND position > m.position ORDER BY position LIMIT 1)
                    - known.most
            ) AS behind
            WHERE m.room = ? AND m.position = ?""";

    private Disorder() {}

    /** Disorder, in milliseconds, of messages stored between existing ones of the room. */
    static long of(Connection connection, int room, List<KeyedRow> rows) throws SQLException {
        long most = 0;
        try (PreparedStatement select = connection.prepareStatement(AT_ITS_PLACE)) {
            for (KeyedRow row : rows) {
                select.setLong(1, LEAST_MILLIS);
                select.setInt(2, room);
                select.setLong(3, row.message().position());
                try (ResultSet found = select.executeQuery()) {
                    while (found.next()) most = Math.max(most, found.getLong(1));
                }
            }
        }
        return most;
    }
}

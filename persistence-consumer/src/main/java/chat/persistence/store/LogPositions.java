package chat.persistence.store;

import chat.persistence.batch.Batch;
import chat.persistence.batch.Mark;
import chat.persistence.batch.StoredMark;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads and moves the stored position of each partition. */
final class LogPositions {
    private static final String FIRST = """
            INSERT INTO log_position (position, epoch, log_offset, incarnation, sequence, drained, partition)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (partition) DO NOTHING""";

    private static final String MOVE = """
            UPDATE log_position
            SET position = ?, epoch = ?, log_offset = ?, incarnation = ?, sequence = ?, drained = ?, updated_at = now()
            WHERE partition = ? AND position = ?""";

    private LogPositions() {}

    static Optional<StoredMark> of(Connection connection, int partition) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT position, epoch, log_offset, incarnation, sequence, drained FROM log_position WHERE partition = ?")) {
            select.setInt(1, partition);
            try (ResultSet rows = select.executeQuery()) {
                if (!rows.next()) return Optional.empty();
                Mark mark =
                        new Mark(rows.getLong(1), rows.getLong(2), rows.getLong(3), rows.getLong(4), rows.getLong(5));
                return Optional.of(new StoredMark(mark, rows.getBoolean(6)));
            }
        }
    }

    /** Locks the partition's row until the transaction ends; false if its position is not {@code previous}. */
    static boolean move(Connection connection, Batch batch, Mark end, @Nullable Mark previous) throws SQLException {
        try (PreparedStatement move = connection.prepareStatement(previous == null ? FIRST : MOVE)) {
            move.setLong(1, end.position());
            move.setLong(2, end.epoch());
            move.setLong(3, end.offset());
            move.setLong(4, end.incarnation());
            move.setLong(5, end.sequence());
            move.setBoolean(6, batch.drained());
            move.setInt(7, batch.partition());
            if (previous != null) move.setLong(8, previous.position());
            return move.executeUpdate() == 1;
        }
    }
}

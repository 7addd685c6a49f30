package chat.persistence.rollup;

import chat.persistence.store.KeyedRow;
import chat.persistence.store.RowsStoredListener;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Records the new rows of a batch in the transaction that stores them: one row without an index, so that the writer
 * pays little, waits for no lock, and counts are exact. Thread-safe.
 */
public final class PendingRollups implements RowsStoredListener {
    @Override
    public void stored(Connection connection, List<KeyedRow> fresh, boolean late) throws SQLException {
        if (!late) {
            insert(connection, fresh, null);
            return;
        }
        // Rare and small. One row per room, since the disorder is per room.
        var rooms = fresh.stream().collect(Collectors.groupingBy(KeyedRow::room));
        for (var room : rooms.entrySet())
            insert(connection, room.getValue(), Disorder.of(connection, room.getKey(), room.getValue()));
    }

    /** @param disorder null: computed from their order */
    private static void insert(Connection connection, List<KeyedRow> rows, @Nullable Long disorder)
            throws SQLException {
        List<Event> events = rows.stream()
                .map(row -> new Event(row.message().timestamp(), row.room(), row.user()))
                .toList();
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO rollup_pending (messages, events, disorder_ms) VALUES (?, ?, ?)")) {
            insert.setInt(1, events.size());
            insert.setBytes(2, EventBytes.of(events));
            insert.setObject(3, disorder, Types.BIGINT);
            insert.executeUpdate();
        }
    }
}

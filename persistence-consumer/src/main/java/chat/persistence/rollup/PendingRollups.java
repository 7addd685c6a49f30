package chat.persistence.rollup;

import chat.persistence.store.NumberedRow;
import chat.persistence.store.StoredRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * Puts down what a batch has really added, in the transaction of its rows: one row without an index, so the writer
 * pays little, waits for nobody, and what is counted is as exact as what is stored. Thread-safe.
 */
public final class PendingRollups implements StoredRows {
    @Override
    public void stored(Connection connection, List<NumberedRow> fresh) throws SQLException {
        List<Event> events = fresh.stream()
                .map(row -> new Event(row.message().timestamp(), row.room(), row.user()))
                .toList();
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO rollup_pending (messages, events) VALUES (?, ?)")) {
            insert.setInt(1, events.size());
            insert.setBytes(2, EventBytes.of(events));
            insert.executeUpdate();
        }
    }
}

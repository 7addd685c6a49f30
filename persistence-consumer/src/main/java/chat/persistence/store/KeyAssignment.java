package chat.persistence.store;

import chat.persistence.batch.DeadLetter;
import chat.persistence.batch.MessageRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Puts numbers for the names of rooms and users. A room's number can be deleted once nothing uses it, and each deletion
 * raises the epoch of numbers: {@link #hold} tells whether numbers are still good, and keeps them so until the transaction
 * ends. Thread-safe.
 */
final class KeyAssignment {
    private static final long UNKNOWN = -1;

    /** Two statements, sent together: the second one's snapshot is taken when the lock is there. */
    private static final String HOLD =
            "SELECT pg_advisory_xact_lock_shared(" + AdvisoryLocks.NUMBERS + "); SELECT epoch FROM numbering";

    private final int bound;
    private final Set<Connection> connections =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    private volatile Memory memory;

    /** @param names of either kind that are remembered */
    KeyAssignment(int names) {
        bound = names;
        memory = remembering(UNKNOWN);
    }

    /** Numbers that were looked up at this epoch. An outdated memory is dropped whole: a thread may still add to it. */
    private record Memory(long epoch, SurrogateKeys rooms, SurrogateKeys users) {}

    private Memory remembering(long epoch) {
        return new Memory(epoch, SurrogateKeys.ofRooms(bound), SurrogateKeys.ofUsers(bound));
    }

    /**
     * @param rows in the order that they came in
     * @param refused those whose room or user can have no number
     * @param epoch of the numbers
     */
    record Numbered(List<KeyedRow> rows, List<DeadLetter> refused, long epoch) {}

    /** @param connection without a transaction; has none afterwards, either */
    Numbered of(Connection connection, List<MessageRow> rows) throws SQLException {
        if (rows.isEmpty()) return new Numbered(List.of(), List.of(), UNKNOWN);
        forgetUnlessKnown(connection);
        Memory known = memory(connection);
        SurrogateKeys.Numbers room = known.rooms()
                .of(connection, rows.stream().map(MessageRow::roomId).toList());
        SurrogateKeys.Numbers user = known.users()
                .of(connection, rows.stream().map(MessageRow::userId).toList());
        List<KeyedRow> numbered = new ArrayList<>(rows.size());
        List<DeadLetter> refused = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            MessageRow row = rows.get(i);
            Integer roomNumber = room.inOrder()[i];
            Integer userNumber = user.inOrder()[i];
            if (roomNumber != null && userNumber != null) numbered.add(new KeyedRow(row, roomNumber, userNumber));
            else refused.add(row.refused(reason(room, row.roomId(), user, row.userId())));
        }
        return new Numbered(numbered, refused, known.epoch());
    }

    /** The epoch is read before any number is. */
    private Memory memory(Connection connection) throws SQLException {
        Memory known = memory;
        if (known.epoch() != UNKNOWN) return known;
        try (PreparedStatement select = connection.prepareStatement("SELECT epoch FROM numbering")) {
            known = remembering(epoch(select.executeQuery()));
        }
        connection.commit();
        memory = known;
        return known;
    }

    /**
     * Sees to it that no number of these is deleted until the transaction ends, which this begins. False where one may
     * have been: the caller rolls back and looks them up again.
     */
    boolean hold(Connection connection, Numbered numbered) throws SQLException {
        if (numbered.rows().isEmpty()) return true;
        try (Statement statement = connection.createStatement()) {
            statement.execute(HOLD);
            statement.getMoreResults();
            long now = epoch(statement.getResultSet());
            if (now == numbered.epoch()) return true;
            if (memory.epoch() != now) memory = remembering(now);
            return false;
        }
    }

    private static long epoch(ResultSet row) throws SQLException {
        try (row) {
            if (!row.next()) throw new SQLException("numbering has no row");
            return row.getLong(1);
        }
    }

    private static String reason(SurrogateKeys.Numbers rooms, String room, SurrogateKeys.Numbers users, String user) {
        String ofRoom = rooms.refused().get(room);
        return ofRoom != null ? ofRoom : String.valueOf(users.refused().get(user));
    }

    /**
     * The pool puts new connections for dead ones, and nobody is told. Who answers there may be a replica that took over
     * without the last commits, and so without numbers that are remembered.
     */
    private void forgetUnlessKnown(Connection connection) throws SQLException {
        // The driver's own: the pool wraps it anew each time.
        if (connections.add(connection.unwrap(Connection.class))) forget();
    }

    void forget() {
        memory = remembering(UNKNOWN);
    }
}

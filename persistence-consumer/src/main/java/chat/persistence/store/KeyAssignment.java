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
 * Assigns the numbers that represent rooms and users in the tables. A room's number can be deleted once nothing uses
 * it, and each deletion raises the version of the numbering: {@link #hold} checks that numbers are still valid and keeps
 * them valid until the transaction ends. Thread-safe.
 */
final class KeyAssignment {
    private static final long UNKNOWN = -1;
    /** Cached names of rooms, and of users: about 150 bytes each, 60 MB if both caches are full. */
    private static final int CACHED_NAMES = 200_000;

    /** Two statements sent together: the snapshot of the second is taken once the lock is held. */
    private static final String HOLD =
            "SELECT pg_advisory_xact_lock_shared(" + AdvisoryLocks.NUMBERS + "); SELECT version FROM numbering";

    private final Set<Connection> connections =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    private volatile Memory memory;

    KeyAssignment() {
        memory = remembering(UNKNOWN);
    }

    /**
     * Numbers looked up at this version. An outdated cache is dropped as a whole because another thread may still add to
     * it.
     */
    private record Memory(long version, SurrogateKeys rooms, SurrogateKeys users) {}

    private static Memory remembering(long version) {
        return new Memory(version, SurrogateKeys.ofRooms(CACHED_NAMES), SurrogateKeys.ofUsers(CACHED_NAMES));
    }

    /**
     * @param rows in their original order
     * @param refused rows whose room or user cannot have a number
     * @param version of the numbers
     */
    record Numbered(List<KeyedRow> rows, List<DeadLetter> refused, long version) {}

    /** @param connection outside a transaction, before and after */
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
        return new Numbered(numbered, refused, known.version());
    }

    /** Reads the version before any number. */
    private Memory memory(Connection connection) throws SQLException {
        Memory known = memory;
        if (known.version() != UNKNOWN) return known;
        try (PreparedStatement select = connection.prepareStatement("SELECT version FROM numbering")) {
            known = remembering(version(select.executeQuery()));
        }
        connection.commit();
        memory = known;
        return known;
    }

    /**
     * Begins a transaction and prevents the deletion of these numbers until it ends. Returns false if one may have
     * been deleted already: the caller rolls back and looks them up again.
     */
    boolean hold(Connection connection, Numbered numbered) throws SQLException {
        if (numbered.rows().isEmpty()) return true;
        try (Statement statement = connection.createStatement()) {
            statement.execute(HOLD);
            statement.getMoreResults();
            long now = version(statement.getResultSet());
            if (now == numbered.version()) return true;
            if (memory.version() != now) memory = remembering(now);
            return false;
        }
    }

    private static long version(ResultSet row) throws SQLException {
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
     * The pool replaces dead connections silently. The new one may lead to a replica that took over without the last
     * commits, and so without some of the cached numbers.
     */
    private void forgetUnlessKnown(Connection connection) throws SQLException {
        // The driver's own connection: the pool creates a new wrapper each time.
        if (connections.add(connection.unwrap(Connection.class))) forget();
    }

    void forget() {
        memory = remembering(UNKNOWN);
    }
}

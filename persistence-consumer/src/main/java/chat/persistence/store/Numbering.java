package chat.persistence.store;

import chat.persistence.batch.DeadLetter;
import chat.persistence.batch.MessageRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;

/** Puts numbers for the names of rooms and users. Thread-safe. */
final class Numbering {
    private final Names rooms;
    private final Names users;
    private final Set<Connection> connections =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /** @param names of either kind that are remembered */
    Numbering(int names) {
        rooms = Names.ofRooms(names);
        users = Names.ofUsers(names);
    }

    /**
     * @param rows in the order that they came in
     * @param refused those whose room or user can have no number
     */
    record Numbered(List<NumberedRow> rows, List<DeadLetter> refused) {}

    /** @param connection without a transaction; has none afterwards, either */
    Numbered of(Connection connection, List<MessageRow> rows) throws SQLException {
        if (rows.isEmpty()) return new Numbered(List.of(), List.of());
        forgetUnlessKnown(connection);
        Names.Numbers room =
                rooms.of(connection, rows.stream().map(MessageRow::roomId).toList());
        Names.Numbers user =
                users.of(connection, rows.stream().map(MessageRow::userId).toList());
        List<NumberedRow> numbered = new ArrayList<>(rows.size());
        List<DeadLetter> refused = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            MessageRow row = rows.get(i);
            Integer roomNumber = room.inOrder()[i];
            Integer userNumber = user.inOrder()[i];
            if (roomNumber != null && userNumber != null) numbered.add(new NumberedRow(row, roomNumber, userNumber));
            else refused.add(row.refused(reason(room, row.roomId(), user, row.userId())));
        }
        return new Numbered(numbered, refused);
    }

    private static String reason(Names.Numbers rooms, String room, Names.Numbers users, String user) {
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
        rooms.forget();
        users.forget();
    }
}

package chat.persistence.store;

import chat.persistence.batch.DeadLetter;
import chat.persistence.batch.MessageRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Puts numbers for the names of rooms and users. Thread-safe. */
final class Numbering {
    private final Names rooms;
    private final Names users;

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

    void forget() {
        rooms.forget();
        users.forget();
    }
}

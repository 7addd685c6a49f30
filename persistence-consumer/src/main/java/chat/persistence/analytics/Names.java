package chat.persistence.analytics;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** Looks up the names of rooms and users by the numbers used in the tables. */
final class Names {
    private Names() {}

    static Map<Integer, String> ofUsers(Connection connection, Collection<Integer> numbers) throws SQLException {
        return of(connection, "SELECT usr, user_id FROM users WHERE usr = ANY (?)", numbers);
    }

    static Map<Integer, String> ofRooms(Connection connection, Collection<Integer> numbers) throws SQLException {
        return of(connection, "SELECT room, room_id FROM rooms WHERE room = ANY (?)", numbers);
    }

    private static Map<Integer, String> of(Connection connection, String sql, Collection<Integer> numbers)
            throws SQLException {
        Map<Integer, String> names = new HashMap<>();
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setArray(1, connection.createArrayOf("int4", numbers.toArray()));
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) names.put(rows.getInt(1), rows.getString(2));
            }
        }
        return names;
    }
}

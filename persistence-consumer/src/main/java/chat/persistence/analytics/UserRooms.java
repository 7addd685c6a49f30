package chat.persistence.analytics;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Lists the rooms of a user, most recently active first. Blocking; thread-safe. */
final class UserRooms {
    private final Snapshots snapshots;

    UserRooms(Snapshots snapshots) {
        this.snapshots = snapshots;
    }

    record Query(String userId, int limit) {}

    /**
     * @param messages of the user in the room
     * @param firstActivity milliseconds since 1970
     * @param lastActivity milliseconds since 1970
     */
    record Room(String roomId, long messages, long firstActivity, long lastActivity) {}

    record Answer(String userId, List<Room> rooms) {}

    Aged<Answer> find(Query query) throws SQLException {
        return snapshots.read(connection -> {
            try (PreparedStatement select = connection.prepareStatement("""
                    SELECT room_id, messages, (extract(epoch FROM first) * 1000)::bigint,
                           (extract(epoch FROM last) * 1000)::bigint
                    FROM user_room JOIN rooms USING (room)
                    WHERE usr = (SELECT usr FROM users WHERE user_id = ?)
                    ORDER BY last DESC, room_id LIMIT ?""")) {
                select.setString(1, query.userId());
                select.setInt(2, query.limit());
                List<Room> rooms = new ArrayList<>();
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next())
                        rooms.add(new Room(rows.getString(1), rows.getLong(2), rows.getLong(3), rows.getLong(4)));
                }
                return Aged.ofRollups(connection, new Answer(query.userId(), rooms));
            }
        });
    }
}

package chat.persistence.analytics;

import chat.persistence.analytics.ActivityReader.Bucket;
import chat.persistence.analytics.ActivityReader.BusyHour;
import chat.persistence.analytics.ActivityReader.BusyMinute;
import chat.persistence.analytics.ActivityReader.By;
import chat.persistence.rollup.Counts;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reports which users were active, how much, when and in which rooms. Times are milliseconds since 1970; ranges
 * exclude their end. A message is any stored row: TEXT, JOIN or LEAVE. Blocking; thread-safe.
 */
final class Activity {
    private final Snapshots snapshots;

    Activity(Snapshots snapshots) {
        this.snapshots = snapshots;
    }

    record ActiveUsers(long from, long to, long activeUsers, long messages) {}

    /** Counts the distinct users in a range, exactly. */
    Aged<ActiveUsers> activeUsers(Range range) throws SQLException {
        return snapshots.read(connection -> {
            Counts counts = new ActivityReader(connection).counts(By.USER, range);
            long[] messages = {0};
            counts.forEach((user, count) -> messages[0] += count);
            return Aged.ofRollups(
                    connection, new ActiveUsers(range.from(), range.to(), counts.distinct(), messages[0]));
        });
    }

    record Buckets<T>(long from, long to, List<T> buckets) {}

    Aged<Buckets<Bucket>> perSecond(Range range) throws SQLException {
        Range whole = range.rounded(1000);
        return snapshots.read(connection -> Aged.ofRollups(
                connection, new Buckets<>(whole.from(), whole.to(), new ActivityReader(connection).seconds(whole))));
    }

    Aged<Buckets<BusyMinute>> perMinute(Range range) throws SQLException {
        Range whole = range.rounded(60_000);
        return snapshots.read(connection -> Aged.ofRollups(
                connection, new Buckets<>(whole.from(), whole.to(), new ActivityReader(connection).minutes(whole))));
    }

    /** Reads the view {@code hourly_stats}. */
    Aged<Buckets<BusyHour>> perHour(Range range) throws SQLException {
        Range whole = range.rounded(3_600_000);
        return snapshots.read(connection -> Aged.ofView(
                connection,
                "hourly_stats",
                new Buckets<>(whole.from(), whole.to(), new ActivityReader(connection).hours(whole))));
    }

    /** @param rooms number of rooms the user has ever written in; null if the list covers a range */
    record TopUser(String userId, long messages, @Nullable Integer rooms) {}

    record TopUsers(@Nullable Long from, @Nullable Long to, List<TopUser> users) {}

    /** @param range null: all time, from the view {@code user_stats} */
    Aged<TopUsers> topUsers(@Nullable Range range, int limit) throws SQLException {
        return snapshots.read(connection -> {
            if (range == null)
                return Aged.ofView(connection, "user_stats", new TopUsers(null, null, topUsers(connection, limit)));
            List<TopUser> users =
                    top(connection, By.USER, range, limit, (user, messages) -> new TopUser(user, messages, null));
            return Aged.ofRollups(connection, new TopUsers(range.from(), range.to(), users));
        });
    }

    /** @param one makes an entry from a name and a message count */
    private static <T> List<T> top(
            Connection connection, By by, Range range, int limit, BiFunction<String, Long, T> one) throws SQLException {
        List<Top.Entry> top = Top.of(new ActivityReader(connection).counts(by, range), limit);
        List<Integer> numbers = top.stream().map(Top.Entry::number).toList();
        Map<Integer, String> names = switch (by) {
            case USER -> Names.ofUsers(connection, numbers);
            case ROOM -> Names.ofRooms(connection, numbers);
        };
        return top.stream()
                // A room that has expired since then has no name any more.
                .filter(entry -> names.containsKey(entry.number()))
                .map(entry -> one.apply(Objects.requireNonNull(names.get(entry.number())), entry.count()))
                .toList();
    }

    private static List<TopUser> topUsers(Connection connection, int limit) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT user_id, message_count, rooms_participated FROM user_stats
                ORDER BY message_count DESC, user_id LIMIT ?""")) {
            select.setInt(1, limit);
            List<TopUser> users = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) users.add(new TopUser(rows.getString(1), rows.getLong(2), rows.getInt(3)));
            }
            return users;
        }
    }

    /** @param users number of users who have ever written in the room; null if the list covers a range */
    record TopRoom(String roomId, long messages, @Nullable Integer users) {}

    record TopRooms(@Nullable Long from, @Nullable Long to, List<TopRoom> rooms) {}

    /** @param range null: all time, from the view {@code room_stats} */
    Aged<TopRooms> topRooms(@Nullable Range range, int limit) throws SQLException {
        return snapshots.read(connection -> {
            if (range == null)
                return Aged.ofView(connection, "room_stats", new TopRooms(null, null, topRooms(connection, limit)));
            List<TopRoom> rooms =
                    top(connection, By.ROOM, range, limit, (room, messages) -> new TopRoom(room, messages, null));
            return Aged.ofRollups(connection, new TopRooms(range.from(), range.to(), rooms));
        });
    }

    private static List<TopRoom> topRooms(Connection connection, int limit) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT room_id, message_count, unique_users FROM room_stats
                ORDER BY message_count DESC, room_id LIMIT ?""")) {
            select.setInt(1, limit);
            List<TopRoom> rooms = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) rooms.add(new TopRoom(rows.getString(1), rows.getLong(2), rows.getInt(3)));
            }
            return rooms;
        }
    }
}

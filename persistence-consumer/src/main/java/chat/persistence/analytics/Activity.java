package chat.persistence.analytics;

import chat.persistence.analytics.ActivityReader.Bucket;
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
import org.jspecify.annotations.Nullable;

/**
 * Who was active, how much, when and where. Times are milliseconds since 1970, ranges exclude their end. A message is
 * any stored row: TEXT, JOIN or LEAVE. Blocking; thread-safe.
 */
final class Activity {
    private final Snapshots snapshots;

    Activity(Snapshots snapshots) {
        this.snapshots = snapshots;
    }

    record ActiveUsers(long from, long to, long activeUsers, long messages) {}

    /** Distinct users in a range, exactly. */
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

    record BusyHour(long start, long messages, int users, int rooms) {}

    /** From the view {@code hourly_stats}. */
    Aged<Buckets<BusyHour>> perHour(Range range) throws SQLException {
        Range whole = range.rounded(3_600_000);
        return snapshots.read(connection -> {
            List<BusyHour> hours = new ArrayList<>();
            try (PreparedStatement select = connection.prepareStatement("""
                    SELECT (extract(epoch FROM hour) * 1000)::bigint, message_count, unique_users, active_rooms
                    FROM hourly_stats
                    WHERE hour >= timestamptz 'epoch' + ? * interval '1 millisecond'
                      AND hour < timestamptz 'epoch' + ? * interval '1 millisecond' ORDER BY hour""")) {
                select.setLong(1, whole.from());
                select.setLong(2, whole.to());
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next())
                        hours.add(new BusyHour(rows.getLong(1), rows.getLong(2), rows.getInt(3), rows.getInt(4)));
                }
            }
            return Aged.ofView(connection, "hourly_stats", new Buckets<>(whole.from(), whole.to(), hours));
        });
    }

    /** @param rooms in which the user has ever written; null where the list is of a range */
    record TopUser(String userId, long messages, @Nullable Integer rooms) {}

    record TopUsers(@Nullable Long from, @Nullable Long to, List<TopUser> users) {}

    /** @param range null: of all time, from the view {@code user_stats} */
    Aged<TopUsers> topUsers(@Nullable Range range, int limit) throws SQLException {
        return snapshots.read(connection -> {
            if (range == null)
                return Aged.ofView(connection, "user_stats", new TopUsers(null, null, topUsers(connection, limit)));
            List<Top.Entry> top = Top.of(new ActivityReader(connection).counts(By.USER, range), limit);
            Map<Integer, String> names = Names.ofUsers(
                    connection, top.stream().map(Top.Entry::number).toList());
            List<TopUser> users = top.stream()
                    .map(entry -> new TopUser(Objects.requireNonNull(names.get(entry.number())), entry.count(), null))
                    .toList();
            return Aged.ofRollups(connection, new TopUsers(range.from(), range.to(), users));
        });
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

    /** @param users who have ever written there; null where the list is of a range */
    record TopRoom(String roomId, long messages, @Nullable Integer users) {}

    record TopRooms(@Nullable Long from, @Nullable Long to, List<TopRoom> rooms) {}

    /** @param range null: of all time, from the view {@code room_stats} */
    Aged<TopRooms> topRooms(@Nullable Range range, int limit) throws SQLException {
        return snapshots.read(connection -> {
            if (range == null)
                return Aged.ofView(connection, "room_stats", new TopRooms(null, null, topRooms(connection, limit)));
            List<Top.Entry> top = Top.of(new ActivityReader(connection).counts(By.ROOM, range), limit);
            Map<Integer, String> names = Names.ofRooms(
                    connection, top.stream().map(Top.Entry::number).toList());
            List<TopRoom> rooms = top.stream()
                    .map(entry -> new TopRoom(Objects.requireNonNull(names.get(entry.number())), entry.count(), null))
                    .toList();
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

package chat.persistence.analytics;

import chat.persistence.rollup.Counts;
import chat.persistence.rollup.EventBytes;
import chat.persistence.rollup.Span;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Adds up the activity of a time range, to the millisecond, from spans. Runs in the caller's transaction. */
final class ActivityReader {
    /** Rows that the driver buffers at once: one row can take some hundred kilobytes. */
    private static final int FETCH = 50;

    private static final String AT = "timestamptz 'epoch' + %s * interval '1 millisecond'";

    private final Connection connection;

    ActivityReader(Connection connection) {
        this.connection = connection;
    }

    /** Groups messages by user or by room. */
    enum By {
        USER("user_counts"),
        ROOM("room_counts");

        private final String column;

        By(String column) {
            this.column = column;
        }
    }

    /** Counts messages by user or by room. */
    Counts counts(By by, Range range) throws SQLException {
        Counts counts = new Counts();
        Range known = known();
        if (known == null) return counts;
        Cover cover = Cover.of(widened(range, known));
        addWhole(counts, by, cover.whole());
        for (Cover.Part part : cover.parts())
            events(
                    part.minute(),
                    part.minute() + Span.MINUTE.millis(),
                    part.range(),
                    (millis, room, user) -> counts.add(by == By.USER ? user : room, 1));
        return counts;
    }

    /** Widens the range to whole days where no data lies outside it: fewer spans give the same result. */
    private static Range widened(Range range, Range known) {
        return new Range(
                range.from() <= known.from() ? Span.DAY.floor(known.from()) : range.from(),
                range.to() >= known.to() ? Span.DAY.ceiling(known.to()) : range.to());
    }

    /** The range of minutes that hold all data; null if there is none. */
    private @Nullable Range known() throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT (extract(epoch FROM min(start)) * 1000)::bigint, (extract(epoch FROM max(start)) * 1000)::bigint
                FROM activity WHERE span = ?""")) {
            select.setInt(1, Span.MINUTE.seconds());
            try (ResultSet row = select.executeQuery()) {
                if (!row.next() || row.getObject(1) == null) return null;
                return new Range(row.getLong(1), row.getLong(2) + Span.MINUTE.millis());
            }
        }
    }

    /** One index lookup per run. Without OFFSET the query becomes a join, for which PostgreSQL may read all spans. */
    private void addWhole(Counts counts, By by, List<Cover.Run> runs) throws SQLException {
        if (runs.isEmpty()) return;
        try (PreparedStatement select = connection.prepareStatement(
                """
                SELECT a.%s
                FROM unnest(?::integer[], ?::bigint[], ?::bigint[]) AS r(span, low, high)
                CROSS JOIN LATERAL (
                    SELECT %s FROM activity
                    WHERE span = r.span AND start >= %s AND start < %s OFFSET 0) AS a""".formatted(by.column, by.column, AT.formatted("r.low"), AT.formatted("r.high")))) {
            select.setArray(1, array("int4", runs, run -> run.span().seconds()));
            select.setArray(2, array("int8", runs, Cover.Run::from));
            select.setArray(3, array("int8", runs, Cover.Run::to));
            select.setFetchSize(FETCH);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) counts.add(rows.getBytes(1));
            }
        }
    }

    private Array array(String type, List<Cover.Run> runs, Function<Cover.Run, Object> value) throws SQLException {
        return connection.createArrayOf(type, runs.stream().map(value).toArray());
    }

    /** Passes each message of the range to the sink, unordered; reads every minute that overlaps the range. */
    void events(Range range, EventBytes.Sink sink) throws SQLException {
        events(Span.MINUTE.floor(range.from()), Span.MINUTE.ceiling(range.to()), range, sink);
    }

    private void events(long low, long high, Range range, EventBytes.Sink sink) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT events FROM activity_detail WHERE minute >= %s AND minute < %s"
                        .formatted(AT.formatted("?"), AT.formatted("?")))) {
            select.setLong(1, low);
            select.setLong(2, high);
            select.setFetchSize(FETCH);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next())
                    EventBytes.read(rows.getBytes(1), (millis, room, user) -> {
                        if (millis >= range.from() && millis < range.to()) sink.event(millis, room, user);
                    });
            }
        }
    }

    /** @param start milliseconds since 1970 */
    record Bucket(long start, long messages) {}

    /** Messages in each second that has any, ascending. */
    List<Bucket> seconds(Range range) throws SQLException {
        List<Bucket> buckets = new ArrayList<>();
        try (PreparedStatement select =
                connection.prepareStatement("""
                SELECT (extract(epoch FROM start) * 1000)::bigint, seconds FROM activity
                WHERE span = ? AND start >= %s AND start < %s ORDER BY start""".formatted(AT.formatted("?"), AT.formatted("?")))) {
            select.setInt(1, Span.MINUTE.seconds());
            select.setLong(2, Span.MINUTE.floor(range.from()));
            select.setLong(3, range.to());
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    Integer[] seconds = (Integer[]) rows.getArray(2).getArray();
                    for (int second = 0; second < seconds.length; second++) {
                        long start = rows.getLong(1) + second * 1000L;
                        if (seconds[second] > 0 && start >= range.from() && start < range.to())
                            buckets.add(new Bucket(start, seconds[second]));
                    }
                }
            }
        }
        return buckets;
    }

    /** @param start milliseconds since 1970 */
    record BusyMinute(long start, long messages, int users, int rooms) {}

    /** Minutes that have messages, ascending. */
    List<BusyMinute> minutes(Range range) throws SQLException {
        List<BusyMinute> minutes = new ArrayList<>();
        try (PreparedStatement select =
                connection.prepareStatement("""
                SELECT (extract(epoch FROM start) * 1000)::bigint, messages, users, rooms FROM activity
                WHERE span = ? AND start >= %s AND start < %s ORDER BY start""".formatted(AT.formatted("?"), AT.formatted("?")))) {
            select.setInt(1, Span.MINUTE.seconds());
            select.setLong(2, range.from());
            select.setLong(3, range.to());
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next())
                    minutes.add(new BusyMinute(rows.getLong(1), rows.getLong(2), rows.getInt(3), rows.getInt(4)));
            }
        }
        return minutes;
    }

    /** @param start milliseconds since 1970 */
    record BusyHour(long start, long messages, int users, int rooms) {}

    /** Hours that have messages, ascending, from the view {@code hourly_stats}. */
    List<BusyHour> hours(Range range) throws SQLException {
        List<BusyHour> hours = new ArrayList<>();
        try (PreparedStatement select =
                connection.prepareStatement("""
                SELECT (extract(epoch FROM hour) * 1000)::bigint, message_count, unique_users, active_rooms
                FROM hourly_stats WHERE hour >= %s AND hour < %s ORDER BY hour""".formatted(AT.formatted("?"), AT.formatted("?")))) {
            select.setLong(1, range.from());
            select.setLong(2, range.to());
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next())
                    hours.add(new BusyHour(rows.getLong(1), rows.getLong(2), rows.getInt(3), rows.getInt(4)));
            }
        }
        return hours;
    }

    /**
     * Counts messages by hour of the day and day of the week.
     *
     * @return a row for each day, Monday first, with a number for each hour, in UTC
     */
    long[][] hoursOfWeek(Range range) throws SQLException {
        long[][] week = new long[7][24];
        try (PreparedStatement select =
                connection.prepareStatement("""
                SELECT extract(isodow FROM start AT TIME ZONE 'UTC')::integer - 1,
                       extract(hour FROM start AT TIME ZONE 'UTC')::integer, sum(messages)::bigint
                FROM activity WHERE span = ? AND start >= %s AND start < %s GROUP BY 1, 2""".formatted(AT.formatted("?"), AT.formatted("?")))) {
            select.setInt(1, Span.HOUR.seconds());
            select.setLong(2, range.from());
            select.setLong(3, range.to());
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) week[rows.getInt(1)][rows.getInt(2)] = rows.getLong(3);
            }
        }
        return week;
    }
}

package chat.persistence.rollup;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Counts messages, users and rooms in each span of time. */
final class Activity {
    /** Spans in memory at once. A span can be as large as the number of users. */
    private static final int CHUNK = 50;

    private static final int SECONDS = 60;

    private static final String FIND = """
            SELECT (extract(epoch FROM start) * 1000)::bigint, messages, user_counts, room_counts, seconds
            FROM activity
            WHERE span = ? AND start = ANY (SELECT timestamptz 'epoch' + ms * interval '1 millisecond' FROM unnest(?::bigint[]) AS ms)""";

    private static final String WRITE = """
            INSERT INTO activity (span, start, messages, users, user_counts, rooms, room_counts, seconds)
            VALUES (?, timestamptz 'epoch' + ? * interval '1 millisecond', ?, ?, ?, ?, ?, ?)
            ON CONFLICT (span, start) DO UPDATE
            SET messages = excluded.messages, users = excluded.users, user_counts = excluded.user_counts,
                rooms = excluded.rooms, room_counts = excluded.room_counts, seconds = excluded.seconds""";

    private static final String WRITE_DETAIL = """
            INSERT INTO activity_detail (minute, fold, events)
            VALUES (timestamptz 'epoch' + ? * interval '1 millisecond', ?, ?)""";

    private Activity() {}

    /** @param seconds null unless the span is a minute */
    private record Row(long start, long messages, CountBytes users, CountBytes rooms, Integer @Nullable [] seconds) {
        Row plus(Row other) {
            return new Row(
                    start,
                    messages + other.messages,
                    CountBytes.sum(users.bytes(), other.users.bytes()),
                    CountBytes.sum(rooms.bytes(), other.rooms.bytes()),
                    seconds == null || other.seconds == null ? null : sum(seconds, other.seconds));
        }

        private static Integer[] sum(Integer[] one, Integer[] other) {
            Integer[] sum = new Integer[SECONDS];
            for (int second = 0; second < SECONDS; second++) sum[second] = one[second] + other[second];
            return sum;
        }
    }

    static void add(Connection connection, Stream<Event> events, long fold) throws SQLException {
        List<Event> ordered =
                events.sorted(Comparator.comparingLong(Event::millis)).toList();
        addDetail(connection, pieces(Span.MINUTE, ordered), fold);
        for (Span span : Span.values()) {
            List<List<Event>> pieces = pieces(span, ordered);
            for (int from = 0; from < pieces.size(); from += CHUNK)
                add(connection, span, pieces.subList(from, Math.min(pieces.size(), from + CHUNK)));
        }
    }

    /** Splits the list at the ends of spans; the pieces are views of it. */
    private static List<List<Event>> pieces(Span span, List<Event> ordered) {
        List<List<Event>> pieces = new ArrayList<>();
        int from = 0;
        for (int to = 1; to <= ordered.size(); to++) {
            if (to < ordered.size()
                    && span.floor(ordered.get(to).millis())
                            == span.floor(ordered.get(from).millis())) continue;
            pieces.add(ordered.subList(from, to));
            from = to;
        }
        return pieces;
    }

    private static void addDetail(Connection connection, List<List<Event>> minutes, long fold) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(WRITE_DETAIL)) {
            for (List<Event> minute : minutes) {
                insert.setLong(1, Span.MINUTE.floor(minute.getFirst().millis()));
                insert.setLong(2, fold);
                insert.setBytes(3, EventBytes.of(minute));
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    private static void add(Connection connection, Span span, List<List<Event>> pieces) throws SQLException {
        List<Row> rows = pieces.stream().map(piece -> row(span, piece)).toList();
        Map<Long, Row> stored = find(connection, span, rows);
        try (PreparedStatement insert = connection.prepareStatement(WRITE)) {
            for (Row added : rows) {
                Row before = stored.get(added.start());
                Row row = before == null ? added : before.plus(added);
                insert.setInt(1, span.seconds());
                insert.setLong(2, row.start());
                insert.setLong(3, row.messages());
                insert.setInt(4, row.users().distinct());
                insert.setBytes(5, row.users().bytes());
                insert.setInt(6, row.rooms().distinct());
                insert.setBytes(7, row.rooms().bytes());
                insert.setArray(8, row.seconds() == null ? null : connection.createArrayOf("int4", row.seconds()));
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    private static Row row(Span span, List<Event> events) {
        return new Row(
                span.floor(events.getFirst().millis()),
                events.size(),
                CountBytes.of(events.stream().mapToInt(Event::user).toArray()),
                CountBytes.of(events.stream().mapToInt(Event::room).toArray()),
                span == Span.MINUTE ? seconds(events) : null);
    }

    private static Integer[] seconds(List<Event> minute) {
        Integer[] seconds = Stream.generate(() -> 0).limit(SECONDS).toArray(Integer[]::new);
        for (Event event : minute) seconds[(int) (Math.floorMod(event.millis(), Span.MINUTE.millis()) / 1000)]++;
        return seconds;
    }

    private static Map<Long, Row> find(Connection connection, Span span, List<Row> rows) throws SQLException {
        Map<Long, Row> found = new HashMap<>();
        try (PreparedStatement select = connection.prepareStatement(FIND)) {
            select.setInt(1, span.seconds());
            select.setArray(
                    2,
                    connection.createArrayOf(
                            "int8", rows.stream().map(Row::start).toArray(Long[]::new)));
            try (ResultSet stored = select.executeQuery()) {
                while (stored.next()) {
                    Array seconds = stored.getArray(5);
                    Row row = new Row(
                            stored.getLong(1),
                            stored.getLong(2),
                            new CountBytes(stored.getBytes(3), 0),
                            new CountBytes(stored.getBytes(4), 0),
                            seconds == null ? null : (Integer[]) seconds.getArray());
                    found.put(row.start(), row);
                }
            }
        }
        return found;
    }
}

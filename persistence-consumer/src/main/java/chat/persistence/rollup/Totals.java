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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The totals of users, of rooms, and of users in rooms. As long as there are users and rooms, however many messages
 * there are. Rows are touched in the order of their keys, so that neighbours share a page.
 */
final class Totals {
    private static final String ADD_USER_ROOM = """
            WITH added AS (
                INSERT INTO user_room AS t (usr, room, messages, first, last)
                SELECT usr, room, messages, timestamptz 'epoch' + first * interval '1 millisecond',
                       timestamptz 'epoch' + last * interval '1 millisecond'
                FROM unnest(?::integer[], ?::integer[], ?::bigint[], ?::bigint[], ?::bigint[])
                  AS a(usr, room, messages, first, last)
                ON CONFLICT (usr, room) DO UPDATE
                SET messages = t.messages + excluded.messages,
                    first = least(t.first, excluded.first), last = greatest(t.last, excluded.last)
                -- 0 where the row is new: nobody else writes here.
                RETURNING usr, room, xmax)
            SELECT usr, room FROM added WHERE xmax = 0""";

    private static final String ADD_USER = """
            INSERT INTO user_total AS t (usr, rooms, messages, first, last)
            SELECT usr, rooms, messages, timestamptz 'epoch' + first * interval '1 millisecond',
                   timestamptz 'epoch' + last * interval '1 millisecond'
            FROM unnest(?::integer[], ?::integer[], ?::bigint[], ?::bigint[], ?::bigint[])
              AS a(usr, rooms, messages, first, last)
            ON CONFLICT (usr) DO UPDATE
            SET rooms = t.rooms + excluded.rooms, messages = t.messages + excluded.messages,
                first = least(t.first, excluded.first), last = greatest(t.last, excluded.last)""";

    private static final String ADD_ROOM = """
            INSERT INTO room_total AS t (room, users, messages, first, last, disorder_ms)
            SELECT room, users, messages, timestamptz 'epoch' + first * interval '1 millisecond',
                   timestamptz 'epoch' + last * interval '1 millisecond', disorder
            FROM unnest(?::integer[], ?::integer[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
              AS a(room, users, messages, first, last, disorder)
            ON CONFLICT (room) DO UPDATE
            SET users = t.users + excluded.users, messages = t.messages + excluded.messages,
                first = least(t.first, excluded.first), last = greatest(t.last, excluded.last),
                disorder_ms = greatest(t.disorder_ms, excluded.disorder_ms,
                                       (extract(epoch FROM t.last - excluded.first) * 1000)::bigint)""";

    private Totals() {}

    private static final class Sum {
        private final int user;
        private final int room;
        private int others;
        private long messages;
        private long first = Long.MAX_VALUE;
        private long last = Long.MIN_VALUE;
        private long disorder;

        Sum(int user, int room) {
            this.user = user;
            this.room = room;
        }

        Sum add(long millis) {
            messages++;
            if (messages > 1) disorder = Math.max(disorder, last - millis);
            first = Math.min(first, millis);
            last = Math.max(last, millis);
            return this;
        }

        int user() {
            return user;
        }

        int room() {
            return room;
        }
    }

    /** @param events in the order of storing */
    static void add(Connection connection, List<Event> events) throws SQLException {
        Map<Long, Sum> pairs = new HashMap<>();
        Map<Integer, Sum> users = new HashMap<>();
        Map<Integer, Sum> rooms = new HashMap<>();
        for (Event event : events) {
            long pair = ((long) event.user() << 32) | event.room();
            pairs.computeIfAbsent(pair, unused -> new Sum(event.user(), event.room()))
                    .add(event.millis());
            users.computeIfAbsent(event.user(), user -> new Sum(user, 0)).add(event.millis());
            rooms.computeIfAbsent(event.room(), room -> new Sum(0, room)).add(event.millis());
        }
        addPairs(
                connection,
                sorted(pairs.values(), Comparator.comparingInt(Sum::user).thenComparingInt(Sum::room)),
                users,
                rooms);
        add(connection, ADD_USER, sorted(users.values(), Comparator.comparingInt(Sum::user)), Sum::user, false);
        add(connection, ADD_ROOM, sorted(rooms.values(), Comparator.comparingInt(Sum::room)), Sum::room, true);
    }

    private static List<Sum> sorted(Iterable<Sum> sums, Comparator<Sum> order) {
        List<Sum> list = new ArrayList<>();
        sums.forEach(list::add);
        list.sort(order);
        return list;
    }

    /** Counts in users and rooms which pairs are new. */
    private static void addPairs(
            Connection connection, List<Sum> pairs, Map<Integer, Sum> users, Map<Integer, Sum> rooms)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(ADD_USER_ROOM)) {
            insert.setArray(1, integers(connection, pairs, Sum::user));
            insert.setArray(2, integers(connection, pairs, Sum::room));
            sums(insert, 3, connection, pairs);
            try (ResultSet fresh = insert.executeQuery()) {
                while (fresh.next()) {
                    countOther(users.get(fresh.getInt(1)));
                    countOther(rooms.get(fresh.getInt(2)));
                }
            }
        }
    }

    private static void countOther(@Nullable Sum sum) {
        if (sum == null) throw new IllegalStateException("a pair that nobody has added");
        sum.others++;
    }

    private static void add(
            Connection connection, String sql, List<Sum> sums, Function<Sum, Integer> key, boolean withDisorder)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setArray(1, integers(connection, sums, key));
            insert.setArray(2, integers(connection, sums, sum -> sum.others));
            sums(insert, 3, connection, sums);
            if (withDisorder) insert.setArray(6, longs(connection, sums, sum -> sum.disorder));
            insert.executeUpdate();
        }
    }

    private static void sums(PreparedStatement insert, int column, Connection connection, List<Sum> sums)
            throws SQLException {
        insert.setArray(column, longs(connection, sums, sum -> sum.messages));
        insert.setArray(column + 1, longs(connection, sums, sum -> sum.first));
        insert.setArray(column + 2, longs(connection, sums, sum -> sum.last));
    }

    private static Array integers(Connection connection, List<Sum> sums, Function<Sum, Integer> value)
            throws SQLException {
        return connection.createArrayOf("int4", sums.stream().map(value).toArray(Integer[]::new));
    }

    private static Array longs(Connection connection, List<Sum> sums, Function<Sum, Long> value) throws SQLException {
        return connection.createArrayOf("int8", sums.stream().map(value).toArray(Long[]::new));
    }
}

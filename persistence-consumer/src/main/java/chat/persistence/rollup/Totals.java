package chat.persistence.rollup;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Updates the totals of users, rooms, and users in rooms. Their size depends on users and rooms, not messages. Rows
 * are updated in key order, so that neighbours share a page.
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
                disorder_ms = greatest(t.disorder_ms, excluded.disorder_ms)""";

    private static final String LATEST = """
            SELECT room, (extract(epoch FROM last) * 1000)::bigint FROM room_total WHERE room = ANY (?)""";

    private Totals() {}

    private static class Sum {
        final int user;
        final int room;
        int others;
        long messages;
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;

        Sum(int user, int room) {
            this.user = user;
            this.room = room;
        }

        void add(long millis) {
            messages++;
            first = Math.min(first, millis);
            last = Math.max(last, millis);
        }

        int user() {
            return user;
        }

        int room() {
            return room;
        }
    }

    private static final class RoomSum extends Sum {
        /** The earliest time of those positioned after everything stored before. */
        private long firstInOrder = Long.MAX_VALUE;

        private long disorder;

        RoomSum(int room) {
            super(0, room);
        }

        void add(long millis, @Nullable Long known) {
            if (known != null) disorder = Math.max(disorder, known);
            else {
                isBehind(last, millis);
                firstInOrder = Math.min(firstInOrder, millis);
            }
            add(millis);
        }

        /** @param latest time counted before this sum */
        void follows(long latest) {
            isBehind(latest, firstInOrder);
        }

        private void isBehind(long earlier, long millis) {
            if (earlier > millis) disorder = Math.max(disorder, earlier - millis);
        }
    }

    /** @param stretches in the order of storing */
    static void add(Connection connection, List<StoredRange> stretches) throws SQLException {
        Map<Long, Sum> pairs = new HashMap<>();
        Map<Integer, Sum> users = new HashMap<>();
        Map<Integer, RoomSum> rooms = new HashMap<>();
        for (StoredRange stretch : stretches)
            for (Event event : stretch.events()) {
                long pair = ((long) event.user() << 32) | event.room();
                pairs.computeIfAbsent(pair, unused -> new Sum(event.user(), event.room()))
                        .add(event.millis());
                users.computeIfAbsent(event.user(), user -> new Sum(user, 0)).add(event.millis());
                rooms.computeIfAbsent(event.room(), RoomSum::new).add(event.millis(), stretch.disorder());
            }
        comparedWithBefore(connection, rooms);
        addPairs(
                connection,
                sorted(pairs.values(), Comparator.comparingInt(Sum::user).thenComparingInt(Sum::room)),
                users,
                rooms);
        addUsers(connection, sorted(users.values(), Comparator.comparingInt(Sum::user)));
        addRooms(connection, sorted(rooms.values(), Comparator.comparingInt(Sum::room)));
    }

    private static void comparedWithBefore(Connection connection, Map<Integer, RoomSum> rooms) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(LATEST)) {
            select.setArray(1, integers(connection, List.copyOf(rooms.values()), Sum::room));
            try (ResultSet known = select.executeQuery()) {
                while (known.next()) {
                    RoomSum sum = rooms.get(known.getInt(1));
                    if (sum != null) sum.follows(known.getLong(2));
                }
            }
        }
    }

    private static <S extends Sum> List<S> sorted(Collection<S> sums, Comparator<Sum> order) {
        return sums.stream().sorted(order).toList();
    }

    /** Counts new pairs in users and rooms. */
    private static void addPairs(
            Connection connection, List<Sum> pairs, Map<Integer, Sum> users, Map<Integer, RoomSum> rooms)
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
        if (sum == null) throw new IllegalStateException("a pair that was never added");
        sum.others++;
    }

    private static void addUsers(Connection connection, List<Sum> users) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(ADD_USER)) {
            withOthers(insert, connection, users, Sum::user);
            insert.executeUpdate();
        }
    }

    private static void addRooms(Connection connection, List<RoomSum> rooms) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(ADD_ROOM)) {
            withOthers(insert, connection, rooms, Sum::room);
            insert.setArray(6, longs(connection, rooms, sum -> sum.disorder));
            insert.executeUpdate();
        }
    }

    private static <S extends Sum> void withOthers(
            PreparedStatement insert, Connection connection, List<S> sums, Function<Sum, Integer> key)
            throws SQLException {
        insert.setArray(1, integers(connection, sums, key));
        insert.setArray(2, integers(connection, sums, sum -> sum.others));
        sums(insert, 3, connection, sums);
    }

    private static void sums(PreparedStatement insert, int column, Connection connection, List<? extends Sum> sums)
            throws SQLException {
        insert.setArray(column, longs(connection, sums, sum -> sum.messages));
        insert.setArray(column + 1, longs(connection, sums, sum -> sum.first));
        insert.setArray(column + 2, longs(connection, sums, sum -> sum.last));
    }

    private static <S extends Sum> Array integers(
            Connection connection, List<S> sums, Function<? super S, Integer> value) throws SQLException {
        return connection.createArrayOf("int4", sums.stream().map(value).toArray(Integer[]::new));
    }

    private static <S extends Sum> Array longs(Connection connection, List<S> sums, Function<? super S, Long> value)
            throws SQLException {
        return connection.createArrayOf("int8", sums.stream().map(value).toArray(Long[]::new));
    }
}

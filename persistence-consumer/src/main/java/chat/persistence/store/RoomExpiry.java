package chat.persistence.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import javax.sql.DataSource;

/**
 * Deletes rooms without texts whose last JOIN or LEAVE was a week ago: rooms that users only joined, and rooms that
 * retention has emptied. JOINs, LEAVEs, totals and number of a room are deleted in one transaction; if a room has more
 * events than a transaction may delete, the oldest are deleted first. Each run takes a few small steps, and the next
 * run continues. Blocking; several consumers may run it at the same time.
 */
final class RoomExpiry {
    static final Duration SILENT = Duration.ofDays(7);

    /** Rooms per step. Writers wait while a step checks again whether they are used, about 50 ms. */
    static final int ROOMS = 1_000;

    private static final int STEPS = 20;

    private static final String CANDIDATES = """
            SELECT room FROM rooms LEFT JOIN room_total USING (room)
            WHERE room > ? AND (last IS NULL OR last < ?) ORDER BY room LIMIT ?""";

    // LIMIT makes the planner use the index for each room, however many rows it expects.
    private static final String SILENT_ROOMS = """
            SELECT room FROM unnest(?::integer[]) AS candidate (room)
            LEFT JOIN LATERAL (
                SELECT true AS used FROM messages AS m
                WHERE m.room = candidate.room
                  AND (m.message_type = 'TEXT' OR m.timestamp >= ?
                       OR m.created_at >= coalesce((SELECT as_of FROM rollup_state), '-infinity'))
                LIMIT 1) AS m ON true
            WHERE used IS NULL""";

    // Room by room, so that a limit splits at most one of them.
    private static final String EVENTS = """
            WITH old AS (
                SELECT m.message_id, m.room, m.usr FROM unnest(?::integer[]) AS silent (room)
                CROSS JOIN LATERAL (
                    SELECT message_id, room, usr FROM messages
                    WHERE room = silent.room AND message_type <> 'TEXT' AND timestamp < ? LIMIT ?) AS m
                LIMIT ?)
            DELETE FROM messages AS m USING old
            WHERE m.message_id = old.message_id AND m.room = old.room AND m.usr = old.usr""";

    private static final String EMPTY_ROOMS = """
            SELECT room FROM unnest(?::integer[]) AS silent (room)
            LEFT JOIN LATERAL (SELECT true AS used FROM messages AS m WHERE m.room = silent.room LIMIT 1) AS m ON true
            WHERE used IS NULL""";

    private final DataSource writing;
    private final int deletesAtOnce;
    private final Clock clock;
    /** Room after which the next step continues. */
    private int after;

    /** @param deletesAtOnce messages deleted in one transaction */
    RoomExpiry(DataSource writing, int deletesAtOnce, Clock clock) {
        this.writing = writing;
        this.deletesAtOnce = deletesAtOnce;
        this.clock = clock;
    }

    /** Takes some steps; returns the number of rooms deleted. One thread at a time. */
    int run() throws SQLException {
        OffsetDateTime cut = OffsetDateTime.ofInstant(clock.instant().minus(SILENT), ZoneOffset.UTC);
        int deleted = 0;
        try (Connection connection = writing.getConnection()) {
            for (int step = 0; step < STEPS; step++) {
                List<Integer> candidates = candidates(connection, cut);
                if (candidates.isEmpty()) {
                    after = 0;
                    break;
                }
                List<Integer> silent = silent(connection, candidates, cut);
                connection.commit();
                deleted += expire(connection, silent, cut);
                after = candidates.getLast();
            }
        }
        return deleted;
    }

    private List<Integer> candidates(Connection connection, OffsetDateTime cut) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(CANDIDATES)) {
            select.setInt(1, after);
            select.setObject(2, cut);
            select.setInt(3, ROOMS);
            List<Integer> candidates = numbers(select);
            connection.commit();
            return candidates;
        }
    }

    private static List<Integer> silent(Connection connection, List<Integer> candidates, OffsetDateTime cut)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(SILENT_ROOMS)) {
            setNumbers(connection, select, candidates);
            select.setObject(2, cut);
            return numbers(select);
        }
    }

    private static List<Integer> empty(Connection connection, List<Integer> rooms) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(EMPTY_ROOMS)) {
            setNumbers(connection, select, rooms);
            return numbers(select);
        }
    }

    private static List<Integer> numbers(PreparedStatement select) throws SQLException {
        List<Integer> numbers = new ArrayList<>();
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) numbers.add(rows.getInt(1));
        }
        return numbers;
    }

    /** Returns the number of rooms deleted. Skips rooms that were used before its transaction ended. */
    private int expire(Connection connection, List<Integer> rooms, OffsetDateTime cut) throws SQLException {
        int deleted = 0;
        List<Integer> left = rooms;
        while (!left.isEmpty()) {
            // Nothing is counted while this lock is held, so a room used until now shows it.
            lock(connection, AdvisoryLocks.FOLD);
            List<Integer> silent = silent(connection, left, cut);
            int events = deleteEvents(connection, silent, cut);
            count(connection, events);
            List<Integer> empty = empty(connection, silent);
            delete(connection, "DELETE FROM user_room WHERE room = ANY (?)", empty);
            delete(connection, "DELETE FROM room_total WHERE room = ANY (?)", empty);
            // No batch is being written while this lock is held, and each later batch sees the new version. Taken last
            // because writers wait for it.
            lock(connection, AdvisoryLocks.NUMBERS);
            List<Integer> still = silent(connection, silent, cut);
            if (still.size() < silent.size() || empty(connection, empty).size() < empty.size()) {
                connection.rollback();
                left = still;
                continue;
            }
            deleted += deleteNumbers(connection, empty);
            connection.commit();
            if (events < deletesAtOnce) break;
            left = new ArrayList<>(silent);
            left.removeAll(new HashSet<>(empty));
        }
        connection.commit();
        return deleted;
    }

    /** Records that these events stay counted for their users and times, for the comparison of counts and messages. */
    private static void count(Connection connection, int events) throws SQLException {
        if (events == 0) return;
        try (PreparedStatement update = connection.prepareStatement("UPDATE rollup_state SET expired = expired + ?")) {
            update.setInt(1, events);
            update.executeUpdate();
        }
    }

    private static int deleteNumbers(Connection connection, List<Integer> rooms) throws SQLException {
        int deleted = delete(connection, "DELETE FROM rooms WHERE room = ANY (?)", rooms);
        if (deleted > 0)
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("UPDATE numbering SET version = version + 1");
            }
        return deleted;
    }

    private int deleteEvents(Connection connection, List<Integer> rooms, OffsetDateTime cut) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(EVENTS)) {
            setNumbers(connection, delete, rooms);
            delete.setObject(2, cut);
            delete.setInt(3, deletesAtOnce);
            delete.setInt(4, deletesAtOnce);
            return delete.executeUpdate();
        }
    }

    /** Locks until the transaction ends. The timeout bounds the wait of those queued behind it. */
    private static void lock(Connection connection, long key) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '2s'");
            statement.execute("SELECT pg_advisory_xact_lock(" + key + ")");
        }
    }

    private static int delete(Connection connection, String sql, List<Integer> rooms) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(sql)) {
            setNumbers(connection, delete, rooms);
            return delete.executeUpdate();
        }
    }

    private static void setNumbers(Connection connection, PreparedStatement statement, List<Integer> rooms)
            throws SQLException {
        statement.setArray(1, connection.createArrayOf("int4", rooms.toArray()));
    }
}

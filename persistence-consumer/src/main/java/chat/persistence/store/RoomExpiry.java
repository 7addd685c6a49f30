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
import java.util.List;
import javax.sql.DataSource;

/**
 * Deletes rooms without texts whose last JOIN or LEAVE was a week ago: those that users only joined, and those that
 * retention has emptied. Their JOINs and LEAVEs go, their totals, and last their numbers. In small steps, of which each
 * run makes a few and the next one goes on. Blocking; any number of consumers may do this at the same time.
 */
final class RoomExpiry {
    static final Duration SILENT = Duration.ofDays(7);

    /** Rooms of one step: writers wait while it looks whether they are used, some 50 ms. */
    static final int ROOMS = 1_000;

    private static final int STEPS = 20;

    private static final String CANDIDATES = """
            SELECT room FROM rooms LEFT JOIN room_total USING (room)
            WHERE room > ? AND (last IS NULL OR last < ?) ORDER BY room LIMIT ?""";

    // Each room by the index, however many rows the planner expects: hence LIMIT.
    private static final String SILENT_ROOMS = """
            SELECT room FROM unnest(?::integer[]) AS candidate (room)
            LEFT JOIN LATERAL (
                SELECT true AS used FROM messages AS m
                WHERE m.room = candidate.room
                  AND (m.message_type = 'TEXT' OR m.timestamp >= ?
                       OR m.created_at >= coalesce((SELECT as_of FROM rollup_state), '-infinity'))
                LIMIT 1) AS m ON true
            WHERE used IS NULL""";

    private static final String EVENTS = """
            WITH old AS (
                SELECT message_id, room, usr FROM messages
                WHERE room = ANY (?) AND message_type <> 'TEXT' AND timestamp < ? LIMIT ?)
            DELETE FROM messages AS m USING old
            WHERE m.message_id = old.message_id AND m.room = old.room AND m.usr = old.usr""";

    private static final String NUMBERS = """
            DELETE FROM rooms WHERE room = ANY (ARRAY(
                SELECT room FROM unnest(?::integer[]) AS silent (room)
                LEFT JOIN LATERAL (SELECT true AS used FROM messages AS m WHERE m.room = silent.room LIMIT 1) AS m ON true
                WHERE used IS NULL))""";

    private final DataSource writing;
    private final int deletesAtOnce;
    private final Clock clock;
    /** Where the next step goes on. */
    private int after;

    /** @param deletesAtOnce messages deleted in one transaction */
    RoomExpiry(DataSource writing, int deletesAtOnce, Clock clock) {
        this.writing = writing;
        this.deletesAtOnce = deletesAtOnce;
        this.clock = clock;
    }

    /** Makes some steps; returns how many rooms were deleted. On one thread at a time. */
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
                deleted += expire(connection, silent(connection, candidates, cut), cut);
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
            return numbers(connection, select);
        }
    }

    private static List<Integer> silent(Connection connection, List<Integer> candidates, OffsetDateTime cut)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(SILENT_ROOMS)) {
            setNumbers(connection, select, candidates);
            select.setObject(2, cut);
            return numbers(connection, select);
        }
    }

    private static List<Integer> numbers(Connection connection, PreparedStatement select) throws SQLException {
        List<Integer> numbers = new ArrayList<>();
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) numbers.add(rows.getInt(1));
        }
        connection.commit();
        return numbers;
    }

    private int expire(Connection connection, List<Integer> rooms, OffsetDateTime cut) throws SQLException {
        if (rooms.isEmpty()) return 0;
        deleteEvents(connection, rooms, cut);
        lock(connection, AdvisoryLocks.FOLD);
        delete(connection, "DELETE FROM user_room WHERE room = ANY (?)", rooms);
        delete(connection, "DELETE FROM room_total WHERE room = ANY (?)", rooms);
        connection.commit();
        // No batch is under way while this lock is held, and each that follows sees the new epoch.
        lock(connection, AdvisoryLocks.NUMBERS);
        int deleted = delete(connection, NUMBERS, rooms);
        if (deleted > 0)
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("UPDATE numbering SET epoch = epoch + 1");
            }
        connection.commit();
        return deleted;
    }

    private void deleteEvents(Connection connection, List<Integer> rooms, OffsetDateTime cut) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(EVENTS)) {
            setNumbers(connection, delete, rooms);
            delete.setObject(2, cut);
            delete.setInt(3, deletesAtOnce);
            int some;
            do {
                some = delete.executeUpdate();
                connection.commit();
            } while (some == deletesAtOnce);
        }
    }

    /** Until the transaction ends; does not hold up for long those who wait behind it. */
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

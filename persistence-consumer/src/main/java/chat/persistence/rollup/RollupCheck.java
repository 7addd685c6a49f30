package chat.persistence.rollup;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Compares each materialized view, row by row, with the plain GROUP BY over all messages, in one snapshot: folds
 * pending rows, refreshes the views and reads both sides. Storing continues during the check; folds of other consumers
 * wait.
 */
final class RollupCheck {
    private static final int EXAMPLES = 5;
    private static final List<Long> LOCKS = List.of(Fold.LOCK, StatsViews.LOCK);
    private static final Duration LOCK_WAIT = Duration.ofSeconds(30);

    /** Query that each view must equal. */
    private static final Map<String, String> PLAIN = Map.of("user_stats", """
            SELECT user_id, n, rooms, first, last
            FROM (SELECT usr, count(*) AS n, count(DISTINCT room)::integer AS rooms, min(timestamp) AS first,
                         max(timestamp) AS last
                  FROM messages GROUP BY usr) AS m JOIN users USING (usr)""", "room_stats", """
            SELECT room_id, n, users, first, last
            FROM (SELECT room, count(*) AS n, count(DISTINCT usr)::integer AS users, min(timestamp) AS first,
                         max(timestamp) AS last
                  FROM messages GROUP BY room) AS m JOIN rooms USING (room)""", "hourly_stats", """
            SELECT date_trunc('hour', timestamp, 'UTC') AS hour, count(*) AS n, count(DISTINCT usr)::integer AS users,
                   count(DISTINCT room)::integer AS rooms
            FROM messages GROUP BY hour""");

    /**
     * Condition for a row of a view that counts messages of expired rooms: no figure in it is below that of {@code
     * messages}.
     */
    private static final Map<String, String> HIGHER = Map.of("user_stats", """
            SELECT user_id FROM user_stats AS v LEFT JOIN plain AS p USING (user_id)
            WHERE v.message_count > coalesce(p.n, 0) AND v.rooms_participated >= coalesce(p.rooms, 0)
              AND v.first_message <= coalesce(p.first, v.first_message)
              AND v.last_message >= coalesce(p.last, v.last_message)""", "hourly_stats", """
            SELECT hour FROM hourly_stats AS v LEFT JOIN plain AS p USING (hour)
            WHERE v.message_count > coalesce(p.n, 0) AND v.unique_users >= coalesce(p.users, 0)
              AND v.active_rooms >= coalesce(p.rooms, 0)""");

    private RollupCheck() {}

    /** Messages counted, rows of {@code messages}, and counted messages that were deleted with their rooms. */
    private record Sums(OffsetDateTime asOf, long counted, long stored, long expired) {}

    static CheckReport run(Connection connection) throws SQLException {
        try {
            lock(connection);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            long start = System.nanoTime();
            boolean more = true;
            while (more) more = Fold.run(connection).more();
            for (String view : StatsViews.NAMES) StatsViews.make(connection, view);
            List<CheckReport.View> views = new ArrayList<>();
            Sums sums = sums(connection);
            for (String view : StatsViews.NAMES)
                if (PLAIN.containsKey(view)) views.add(compare(connection, view, sums));
            CheckReport report = report(sums, views, Duration.ofNanos(System.nanoTime() - start));
            connection.commit();
            return report;
        } finally {
            unlock(connection);
        }
    }

    /** Taken before the snapshot, so that it includes any fold or refresh that was running. */
    private static void lock(Connection connection) throws SQLException {
        try (PreparedStatement bound = connection.prepareStatement("SELECT set_config('lock_timeout', ?, true)");
                PreparedStatement lock = connection.prepareStatement("SELECT pg_advisory_lock(?)")) {
            bound.setString(1, LOCK_WAIT.toMillis() + "ms");
            bound.execute();
            for (long key : LOCKS) {
                lock.setLong(1, key);
                lock.execute();
            }
        }
        connection.commit();
    }

    private static void unlock(Connection connection) throws SQLException {
        connection.rollback();
        // Releases all locks of this session: only the first is held if the second could not be acquired.
        try (PreparedStatement unlock = connection.prepareStatement("SELECT pg_advisory_unlock_all()")) {
            unlock.execute();
        }
        connection.commit();
    }

    private static CheckReport.View compare(Connection connection, String view, Sums sums) throws SQLException {
        long rows;
        long surplus;
        try (PreparedStatement select = connection.prepareStatement(
                        "SELECT count(*), coalesce(sum(message_count), 0)::bigint FROM " + view);
                ResultSet row = select.executeQuery()) {
            row.next();
            rows = row.getLong(1);
            surplus = row.getLong(2) - sums.stored();
        }
        // Only if expired rooms explain the whole difference; otherwise a figure that is too high could have any
        // cause, and all are shown.
        boolean explained = surplus > 0 && surplus == sums.expired();
        String higher = HIGHER.get(view);
        String differences = explained && higher != null ? differences(view, higher) : differences(view);
        List<String> examples = new ArrayList<>();
        long found = 0;
        try (PreparedStatement select = connection.prepareStatement(differences);
                ResultSet differing = select.executeQuery()) {
            while (differing.next()) {
                found++;
                if (examples.size() < EXAMPLES) examples.add(differing.getString(1));
            }
        }
        return new CheckReport.View(view, rows, found, examples);
    }

    private static String differences(String view) {
        return """
                WITH plain AS (%s)
                SELECT 'only in the view: ' || v FROM (TABLE %s EXCEPT ALL TABLE plain) AS v
                UNION ALL
                SELECT 'only in messages: ' || p FROM (TABLE plain EXCEPT ALL TABLE %s) AS p""".formatted(PLAIN.get(view), view, view);
    }

    private static String differences(String view, String higher) {
        String key = view.equals("user_stats") ? "user_id" : "hour";
        return """
                WITH plain AS (%1$s), higher AS (%2$s),
                seen AS (SELECT * FROM %3$s AS v WHERE NOT EXISTS (SELECT FROM higher AS h WHERE h.%4$s = v.%4$s)),
                expected AS (SELECT * FROM plain AS p WHERE NOT EXISTS (SELECT FROM higher AS h WHERE h.%4$s = p.%4$s))
                SELECT 'only in the view: ' || v FROM (TABLE seen EXCEPT ALL TABLE expected) AS v
                UNION ALL
                SELECT 'only in messages: ' || p FROM (TABLE expected EXCEPT ALL TABLE seen) AS p""".formatted(PLAIN.get(view), higher, view, key);
    }

    private static @Nullable String explanation(Sums sums) {
        long missing = sums.counted() - sums.stored() - sums.expired();
        if (missing > 0)
            return missing + " messages were counted and are not stored any more: removed by CHAT_STORE_KEEP, or"
                    + " by hand. They stay counted until SELECT rollup_rebuild()";
        if (missing < 0)
            return -missing + " messages are stored and were never counted: rows from elsewhere, or of an earlier"
                    + " version that went on storing. SELECT rollup_rebuild() counts them";
        if (sums.expired() == 0) return null;
        return sums.expired()
                + " JOINs and LEAVEs were deleted with rooms without texts. They stay counted for users and"
                + " times until SELECT rollup_rebuild(), and are no difference";
    }

    private static Sums sums(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                        "SELECT now(), messages, (SELECT count(*) FROM messages), expired FROM rollup_state");
                ResultSet row = select.executeQuery()) {
            row.next();
            return new Sums(row.getObject(1, OffsetDateTime.class), row.getLong(2), row.getLong(3), row.getLong(4));
        }
    }

    private static CheckReport report(Sums sums, List<CheckReport.View> views, Duration took) {
        return new CheckReport(
                views.stream().allMatch(view -> view.differences() == 0),
                sums.asOf(),
                sums.counted(),
                sums.stored(),
                sums.expired(),
                explanation(sums),
                took.toMillis(),
                views);
    }
}

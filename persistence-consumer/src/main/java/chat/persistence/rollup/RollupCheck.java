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
 * Compares each materialized view, row by row, with the plain GROUP BY over all messages. Everything is of one snapshot:
 * what is pending in it is folded, the views are refreshed, both sides are read. Storing goes on meanwhile; folding by
 * others waits.
 */
final class RollupCheck {
    private static final int EXAMPLES = 5;
    private static final List<Long> LOCKS = List.of(Fold.LOCK, StatsViews.LOCK);
    private static final Duration LOCK_WAIT = Duration.ofSeconds(30);

    /** What each view must equal. */
    private static final Map<String, String> PLAIN = Map.of("user_stats", """
            SELECT user_id, n, rooms, first, last
            FROM (SELECT usr, count(*) AS n, count(DISTINCT room)::integer AS rooms, min(timestamp) AS first,
                         max(timestamp) AS last
                  FROM messages GROUP BY usr) AS m JOIN users USING (usr)""", "room_stats", """
            SELECT room_id, n, users, first, last
            FROM (SELECT room, count(*) AS n, count(DISTINCT usr)::integer AS users, min(timestamp) AS first,
                         max(timestamp) AS last
                  FROM messages GROUP BY room) AS m JOIN rooms USING (room)""", "hourly_stats", """
            SELECT date_trunc('hour', timestamp, 'UTC') AS hour, count(*), count(DISTINCT usr)::integer,
                   count(DISTINCT room)::integer
            FROM messages GROUP BY hour""");

    private RollupCheck() {}

    static CheckReport run(Connection connection) throws SQLException {
        try {
            lock(connection);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            long start = System.nanoTime();
            boolean more = true;
            while (more) more = Fold.run(connection).more();
            for (String view : StatsViews.NAMES) StatsViews.make(connection, view);
            List<CheckReport.View> views = new ArrayList<>();
            for (String view : StatsViews.NAMES) if (PLAIN.containsKey(view)) views.add(compare(connection, view));
            CheckReport report = report(connection, views, Duration.ofNanos(System.nanoTime() - start));
            connection.commit();
            return report;
        } finally {
            unlock(connection);
        }
    }

    /** Before the snapshot is taken: a fold or refresh that was under way then has been committed. */
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
        // All that this session holds: the first alone where the second could not be had.
        try (PreparedStatement unlock = connection.prepareStatement("SELECT pg_advisory_unlock_all()")) {
            unlock.execute();
        }
        connection.commit();
    }

    private static CheckReport.View compare(Connection connection, String view) throws SQLException {
        String differences = """
                WITH plain AS (%s)
                SELECT 'only in the view: ' || v FROM (TABLE %s EXCEPT ALL TABLE plain) AS v
                UNION ALL
                SELECT 'only in messages: ' || p FROM (TABLE plain EXCEPT ALL TABLE %s) AS p""".formatted(PLAIN.get(view), view, view);
        List<String> examples = new ArrayList<>();
        long found = 0;
        try (PreparedStatement select = connection.prepareStatement(differences);
                ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                found++;
                if (examples.size() < EXAMPLES) examples.add(rows.getString(1));
            }
        }
        try (PreparedStatement select = connection.prepareStatement("SELECT count(*) FROM " + view);
                ResultSet row = select.executeQuery()) {
            row.next();
            return new CheckReport.View(view, row.getLong(1), found, examples);
        }
    }

    private static @Nullable String note(long counted, long stored) {
        if (counted == stored) return null;
        return counted > stored
                ? (counted - stored)
                        + " messages were counted and are not stored any more: removed by CHAT_STORE_KEEP, or"
                        + " by hand. They stay counted until SELECT rollup_rebuild()"
                : (stored - counted)
                        + " messages are stored and were never counted: rows from elsewhere, or of an earlier"
                        + " version that went on storing. SELECT rollup_rebuild() counts them";
    }

    private static CheckReport report(Connection connection, List<CheckReport.View> views, Duration took)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                        "SELECT messages, now(), (SELECT count(*) FROM messages) FROM rollup_state");
                ResultSet row = select.executeQuery()) {
            row.next();
            long counted = row.getLong(1);
            long stored = row.getLong(3);
            return new CheckReport(
                    views.stream().allMatch(view -> view.differences() == 0),
                    row.getObject(2, OffsetDateTime.class),
                    counted,
                    stored,
                    note(counted, stored),
                    took.toMillis(),
                    views);
        }
    }
}

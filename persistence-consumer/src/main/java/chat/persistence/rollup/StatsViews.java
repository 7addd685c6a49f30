package chat.persistence.rollup;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/**
 * Refreshes the materialized views from the roll-ups, each in its own transaction, while queries can read them. The
 * duration depends on users, rooms and hours, not messages.
 */
final class StatsViews {
    static final List<String> NAMES = List.of("user_stats", "room_stats", "hourly_stats", "participation_stats");

    static final long LOCK = 0x436F_6E66_6162_0002L;

    private StatsViews() {}

    /** Result of a refresh. */
    enum Outcome {
        REFRESHED,
        /** Nothing was counted since the last refresh; only the age is updated. */
        UNCHANGED,
        /** Another consumer is refreshing it, or has just done so. */
        LEFT
    }

    /**
     * Refreshes a view in the caller's transaction; the caller commits.
     *
     * @param youngest a younger view is not refreshed
     */
    static Outcome refresh(Connection connection, String name, Duration youngest) throws SQLException {
        if (!AdvisoryLock.tryAcquire(connection, LOCK) || isYounger(connection, name, youngest)) return Outcome.LEFT;
        // Read before the refresh, so the view is at least as new.
        if (isCurrent(connection, name)) {
            update(connection, name, """
                    UPDATE view_refresh SET as_of = s.as_of, refreshed_at = now()
                    FROM rollup_state s WHERE view_name = ? AND view_refresh.folds = s.folds""");
            return Outcome.UNCHANGED;
        }
        make(connection, name);
        return Outcome.REFRESHED;
    }

    /** Refreshes the view unconditionally. The caller holds the lock or is the only user. */
    static void make(Connection connection, String name) throws SQLException {
        update(connection, name, """
                INSERT INTO view_refresh AS v (view_name, as_of, refreshed_at, millis, folds)
                SELECT ?, as_of, now(), 0, folds FROM rollup_state
                ON CONFLICT (view_name) DO UPDATE
                SET as_of = excluded.as_of, refreshed_at = excluded.refreshed_at, folds = excluded.folds""");
        try (Statement refresh = connection.createStatement()) {
            // The name is a constant of this class: a parameter is not allowed here.
            refresh.execute("REFRESH MATERIALIZED VIEW CONCURRENTLY " + name);
        }
        update(connection, name, """
                UPDATE view_refresh SET millis = (extract(epoch FROM clock_timestamp() - now()) * 1000)::bigint
                WHERE view_name = ?""");
    }

    private static boolean isYounger(Connection connection, String name, Duration age) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT FROM view_refresh
                WHERE view_name = ? AND refreshed_at > clock_timestamp() - ? * interval '1 millisecond'""")) {
            select.setString(1, name);
            select.setLong(2, age.toMillis());
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    private static boolean isCurrent(Connection connection, String name) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT FROM view_refresh JOIN rollup_state USING (folds) WHERE view_name = ?")) {
            select.setString(1, name);
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    private static void update(Connection connection, String name, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name);
            statement.executeUpdate();
        }
    }
}

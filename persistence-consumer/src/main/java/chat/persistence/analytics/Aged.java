package chat.persistence.analytics;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Figures with the time they are complete to.
 *
 * @param asOf milliseconds since 1970: the figures include everything stored before it; null: counting is not complete
 *     yet
 */
record Aged<T>(@Nullable Long asOf, T figures) {
    /** Figures from roll-ups; call it in the transaction that read them. */
    static <T> Aged<T> ofRollups(Connection connection, T figures) throws SQLException {
        return new Aged<>(moment(connection, "SELECT as_of FROM rollup_state", null), figures);
    }

    /** Figures from a materialized view; call it in the transaction that read them. */
    static <T> Aged<T> ofView(Connection connection, String view, T figures) throws SQLException {
        return new Aged<>(moment(connection, "SELECT as_of FROM view_refresh WHERE view_name = ?", view), figures);
    }

    /** Figures read from the messages themselves. */
    static <T> Aged<T> ofMessages(Connection connection, T figures) throws SQLException {
        return new Aged<>(moment(connection, "SELECT now() AS as_of", null), figures);
    }

    private static @Nullable Long moment(Connection connection, String sql, @Nullable String view) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT (extract(epoch FROM as_of) * 1000)::bigint FROM (" + sql + ") AS m")) {
            if (view != null) select.setString(1, view);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getObject(1, Long.class) : null;
            }
        }
    }
}

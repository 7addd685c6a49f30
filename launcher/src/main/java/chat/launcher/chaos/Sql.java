package chat.launcher.chaos;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Runs single statements on a database. */
final class Sql {
    private Sql() {}

    /** Returns the number in the first column of the first row; 0 if there is none. */
    static long number(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    static void execute(Connection connection, String command) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(command);
        }
    }

    /** Returns the number of a query on the primary of PostgreSQL, which must run. */
    static long number(Target target, String query) {
        try (Connection connection = target.primary()) {
            return number(connection, query);
        } catch (SQLException failure) {
            throw new ChaosFailure("PostgreSQL cannot be read: " + failure.getMessage());
        }
    }
}

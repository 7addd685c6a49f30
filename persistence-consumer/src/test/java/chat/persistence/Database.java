package chat.persistence;

import chat.nodes.PostgresNode;
import chat.nodes.PostgresSettings;
import chat.persistence.store.PostgresProperties;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A real PostgreSQL, the same for all tests of this JVM, with a look inside. */
public final class Database {
    private static final PostgresNode NODE = started();

    private Database() {}

    private static PostgresNode started() {
        PostgresNode node = new PostgresNode(PostgresSettings.inTemporaryDirectory());
        Runtime.getRuntime().addShutdownHook(new Thread(node::close, "postgres-close"));
        return node.start();
    }

    public static PostgresNode node() {
        return NODE;
    }

    /** How a consumer comes to it, by this address of it. */
    public static PostgresProperties properties(
            String jdbcUrl,
            Duration socketTimeout,
            PostgresProperties.Reading reading,
            PostgresProperties.Aggregating aggregating) {
        return new PostgresProperties(
                jdbcUrl,
                NODE.user(),
                NODE.password(),
                "",
                "",
                "",
                Duration.ofSeconds(3),
                socketTimeout,
                reading,
                aggregating);
    }

    /** Resets the database to an unused one. */
    public static void empty() {
        NODE.start();
        execute("DROP SCHEMA public CASCADE");
        execute("CREATE SCHEMA public");
    }

    public static void execute(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    public static long number(String sql) {
        return Long.parseLong(column(sql).getFirst());
    }

    /** The first column, as text. */
    public static List<String> column(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> column = new ArrayList<>();
            while (rows.next()) column.add(rows.getString(1));
            return column;
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(NODE.jdbcUrl(), NODE.user(), NODE.password());
    }
}

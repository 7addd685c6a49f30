package chat.launcher.chaos;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;

/** Compares the primary and the replica of PostgreSQL after all faults. */
record Databases(Target target) {
    private static final String NONE_TWICE = " 0 twice";

    private interface Connecting {
        Connection connect() throws SQLException;
    }

    /** Returns why they do not agree, for people; empty if they have the same messages, each of them once. */
    List<String> compare() throws InterruptedException {
        AtomicReference<String> primary = new AtomicReference<>("");
        AtomicReference<String> replica = new AtomicReference<>("");
        // The latest messages are still being stored and replicated.
        boolean same = Waiting.within(Waiting.PATIENCE, () -> {
            primary.set(count(target::primary));
            replica.set(count(target::replica));
            return replica.get().equals(primary.get());
        });
        if (!same) return List.of("the primary has " + primary + ", the replica " + replica);
        return primary.get().contains(NONE_TWICE) ? List.of() : List.of("the database has " + primary);
    }

    private static String count(Connecting database) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT count(*), count(*) - count(DISTINCT (message_id, room, usr)), "
                                + "(SELECT count(*) FROM dead_letter), (SELECT count(*) FROM log_gap) FROM messages")) {
            if (!row.next()) return "nothing";
            return String.format(
                    Locale.ROOT,
                    "%,d messages, %d twice, %d dead letters, %d gaps",
                    row.getLong(1),
                    row.getLong(2),
                    row.getLong(3),
                    row.getLong(4));
        } catch (SQLException failure) {
            return "cannot be read: " + failure.getMessage();
        }
    }
}

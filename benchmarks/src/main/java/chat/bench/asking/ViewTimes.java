package chat.bench.asking;

import chat.bench.result.Medians;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Compares a materialized view with the same query of the messages themselves. */
enum ViewTimes {
    USER_STATS("""
            SELECT usr, count(*), count(DISTINCT room), min(timestamp), max(timestamp) FROM messages
            GROUP BY usr ORDER BY count(*) DESC, usr LIMIT 10""", "SELECT * FROM user_stats ORDER BY message_count DESC, user_id LIMIT 10"),
    ROOM_STATS("""
            SELECT room, count(*), count(DISTINCT usr), min(timestamp), max(timestamp) FROM messages
            GROUP BY room ORDER BY count(*) DESC, room LIMIT 10""", "SELECT * FROM room_stats ORDER BY message_count DESC, room_id LIMIT 10"),
    HOURLY_STATS("""
            SELECT date_trunc('hour', timestamp), count(*), count(DISTINCT usr), count(DISTINCT room) FROM messages
            GROUP BY 1 ORDER BY 1 DESC LIMIT 24""", "SELECT * FROM hourly_stats ORDER BY hour DESC LIMIT 24");

    private static final int TIMES = 3;
    private static final String EXECUTION = "Execution Time: ";

    private final String ofMessages;
    private final String ofView;

    ViewTimes(String ofMessages, String ofView) {
        this.ofMessages = ofMessages;
        this.ofView = ofView;
    }

    /** Returns a table of the median execution times. */
    static List<String> table(Archive archive) throws SQLException {
        List<String> table = new ArrayList<>();
        table.add("\n| view | from the messages, ms | from the view, ms | ratio |\n|---|---|---|---|");
        for (ViewTimes view : values()) table.add(view.row(archive));
        return table;
    }

    private String row(Archive archive) throws SQLException {
        double raw = millis(archive, ofMessages);
        double fast = millis(archive, ofView);
        return String.format(
                Locale.ROOT, "| `%s` | %,.0f | %.2f | %,.0f |", name().toLowerCase(Locale.ROOT), raw, fast, raw / fast);
    }

    private static double millis(Archive archive, String sql) throws SQLException {
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < TIMES; i++) millis.add(execution(archive.column("EXPLAIN ANALYZE " + sql)));
        return Medians.of(millis);
    }

    private static double execution(List<String> plan) {
        return plan.stream()
                .filter(line -> line.startsWith(EXECUTION))
                .mapToDouble(line -> Double.parseDouble(line.substring(EXECUTION.length(), line.indexOf(" ms"))))
                .findFirst()
                .orElseThrow();
    }
}

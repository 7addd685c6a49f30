package chat.persistence.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the monthly partitions of {@code messages}, for this month and some more. Several consumers may run it at
 * the same time. Blocking; thread-safe.
 */
final class MonthPartitions {
    private static final Logger log = LoggerFactory.getLogger(MonthPartitions.class);
    private static final Pattern NAME = Pattern.compile("messages_(\\d{4})_(\\d{2})");

    /**
     * Rows that one step moves while others wait, about 50 ms. Clients choose ids, so the default partition can hold
     * any number of rows of a month that has no partition yet.
     */
    static final int MOST_MOVED = 1_000;

    /** Future months that have partitions, so that no message lacks one even if maintenance fails for weeks. */
    static final int AHEAD = 3;

    /** Attaching a month reads the whole default partition: about 100 ms for this size. */
    private static final long LARGEST_DEFAULT = 256L << 20;

    private final DataSource writing;
    private final int ahead;
    private final Clock clock;

    MonthPartitions(DataSource writing, int ahead, Clock clock) {
        this.writing = writing;
        this.ahead = ahead;
        this.clock = clock;
    }

    /**
     * Creates the missing partitions of this and the following months and moves existing rows into them. A month with
     * too many such rows gets no partition: its rows stay in the default partition.
     *
     * @return number of months without a partition
     */
    int create() throws SQLException {
        YearMonth now = YearMonth.now(clock.withZone(ZoneOffset.UTC));
        int missing = 0;
        for (int i = 0; i <= ahead; i++) {
            YearMonth month = now.plusMonths(i);
            try (Connection connection = writing.getConnection()) {
                if (!exists(connection, month) && !create(connection, month)) {
                    connection.rollback();
                    missing++;
                    log.warn(
                            "Month {} gets no partition: too many messages with ids of it, or of other months without"
                                    + " one, are stored already; its messages stay in messages_default",
                            month);
                }
                connection.commit();
            }
        }
        return missing;
    }

    private static boolean exists(Connection connection, YearMonth month) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT to_regclass(?) IS NOT NULL")) {
            select.setString(1, nameOf(month));
            try (ResultSet found = select.executeQuery()) {
                return found.next() && found.getBoolean(1);
            }
        }
    }

    /**
     * Attaching scans the default partition, which must hold no row of the month, so it blocks writes there. Writes to
     * other partitions continue.
     *
     * @return false if it would take too long; the caller rolls back
     */
    private static boolean create(Connection connection, YearMonth month) throws SQLException {
        String name = nameOf(month);
        UUID from = firstIdOf(month);
        UUID to = firstIdOf(month.plusMonths(1));
        try (Statement statement = connection.createStatement()) {
            if (isLong(statement, from, to)) return false;
            statement.execute("SET LOCAL lock_timeout = '3s'");
            statement.execute("SELECT pg_advisory_xact_lock(" + AdvisoryLocks.MONTHS + ")");
            if (exists(connection, month)) return true;
            statement.execute("CREATE TABLE " + name
                    + " (LIKE messages INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)");
            statement.execute("LOCK TABLE messages_default IN ACCESS EXCLUSIVE MODE");
            int moved = statement.executeUpdate(String.format(Locale.ROOT, """
                    WITH moved AS (
                        DELETE FROM messages_default WHERE ctid = ANY (ARRAY(
                            SELECT ctid FROM messages_default WHERE message_id >= '%2$s' AND message_id < '%3$s' LIMIT %4$d))
                        RETURNING *)
                    INSERT INTO %1$s SELECT * FROM moved""", name, from, to, MOST_MOVED + 1));
            if (moved > MOST_MOVED) return false; // more rows were written since the check
            statement.execute(String.format(
                    Locale.ROOT,
                    "ALTER TABLE messages ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')",
                    name,
                    from,
                    to));
            log.info("Created partition {}; moved {} row(s) into it", name, moved);
            return true;
        }
    }

    private static boolean isLong(Statement statement, UUID from, UUID to) throws SQLException {
        try (ResultSet row = statement.executeQuery(
                String.format(Locale.ROOT, """
                SELECT pg_relation_size('messages_default') > %d OR (SELECT count(*) > %d FROM (
                    SELECT FROM messages_default WHERE message_id >= '%s' AND message_id < '%s' LIMIT %d) AS early)""", LARGEST_DEFAULT, MOST_MOVED, from, to, MOST_MOVED + 1))) {
            return row.next() && row.getBoolean(1);
        }
    }

    static String nameOf(YearMonth month) {
        return String.format(Locale.ROOT, "messages_%04d_%02d", month.getYear(), month.getMonthValue());
    }

    /** The month of a partition; null if the partition is not a month's. */
    static @Nullable YearMonth monthOf(String partition) {
        Matcher matcher = NAME.matcher(partition);
        return matcher.matches()
                ? YearMonth.of(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)))
                : null;
    }

    /** Lower bound of the month's UUIDv7 values, which begin with 48 bits of milliseconds. */
    static UUID firstIdOf(YearMonth month) {
        long millis = month.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
        return new UUID(millis << 16, 0);
    }
}

package chat.persistence.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes messages older than the retention: detaches and drops whole months, and deletes rows one by one from the
 * partitions of other ids. The intake time counts. Clients make ids, so a row can be younger than its id: such a row
 * stays until it is old enough itself. Blocking; one consumer at a time runs it.
 */
final class Retention {
    private static final Logger log = LoggerFactory.getLogger(Retention.class);
    private static final List<String> OF_OTHER_IDS = List.of("messages_default", "messages_low", "messages_high");

    private static final String ATTACHED = """
            SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
            WHERE inhparent = 'messages'::regclass ORDER BY relname""";

    private static final String DETACHED = """
            SELECT relname FROM pg_class
            WHERE relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'messages'::regclass)
              AND relkind = 'r' AND relname LIKE 'messages\\_%' AND NOT relispartition
            ORDER BY relname""";

    private final DataSource writing;
    private final Duration keep;
    private final int deletesAtOnce;
    private final Clock clock;

    /** @param deletesAtOnce rows deleted in one transaction */
    Retention(DataSource writing, Duration keep, int deletesAtOnce, Clock clock) {
        this.writing = writing;
        this.keep = keep;
        this.deletesAtOnce = deletesAtOnce;
        this.clock = clock;
    }

    /** @return number of rows removed; 0 if another consumer is running */
    long run() throws SQLException {
        OffsetDateTime cut = OffsetDateTime.ofInstant(clock.instant().minus(keep), ZoneOffset.UTC);
        try (Connection connection = writing.getConnection()) {
            if (!lock(connection)) return 0;
            try {
                long removed = 0;
                for (String partition : months(connection, ATTACHED))
                    if (isOver(partition, cut) && !detach(connection, partition, cut))
                        removed += delete(connection, partition, cut);
                // Includes partitions that an interrupted attempt left detached.
                for (String partition : months(connection, DETACHED)) removed += drop(connection, partition, cut);
                for (String partition : OF_OTHER_IDS) removed += delete(connection, partition, cut);
                return removed;
            } finally {
                connection.rollback();
                unlock(connection);
            }
        }
    }

    private static boolean lock(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet got = statement.executeQuery("SELECT pg_try_advisory_lock(" + AdvisoryLocks.MONTHS + ")")) {
            boolean ours = got.next() && got.getBoolean(1);
            connection.commit();
            return ours;
        }
    }

    private static void unlock(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_unlock(" + AdvisoryLocks.MONTHS + ")");
            connection.commit();
        }
    }

    private static List<String> months(Connection connection, String sql) throws SQLException {
        List<String> months = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet names = statement.executeQuery(sql)) {
            while (names.next())
                if (MonthPartitions.monthOf(names.getString(1)) != null) months.add(names.getString(1));
        }
        connection.commit();
        return months;
    }

    private static boolean isOver(String partition, OffsetDateTime cut) {
        YearMonth month = MonthPartitions.monthOf(partition);
        return month != null && month.isBefore(YearMonth.from(cut));
    }

    /**
     * Detaches a partition. PostgreSQL detaches concurrently only without a default partition, so this briefly locks
     * the whole table; if the lock is not granted soon, the next run tries again. Rows that are too young move back in
     * the same transaction, found by the index on time. Clients choose ids, so there can be too many to move under the
     * lock: then the month stays until these rows are old enough.
     *
     * @return false if the month stays
     */
    private static boolean detach(Connection connection, String partition, OffsetDateTime cut) throws SQLException {
        if (younger(connection, partition, cut) > MonthPartitions.MOST_MOVED) return false;
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '2s'");
            statement.execute("ALTER TABLE messages DETACH PARTITION " + partition);
        }
        int back = restore(connection, partition, cut);
        if (back > MonthPartitions.MOST_MOVED) { // more rows were written since the check
            connection.rollback();
            return false;
        }
        connection.commit();
        if (back > 0) log.info("{} message(s) of partition {} are younger than their ids and stay", back, partition);
        return true;
    }

    /** Counts the rows to keep, up to one more than may be moved. */
    private static int younger(Connection connection, String partition, OffsetDateTime cut) throws SQLException {
        try (PreparedStatement count = connection.prepareStatement(
                "SELECT count(*) FROM (SELECT FROM " + partition + " WHERE timestamp >= ? LIMIT ?) AS younger")) {
            count.setObject(1, cut);
            count.setInt(2, MonthPartitions.MOST_MOVED + 1);
            try (ResultSet row = count.executeQuery()) {
                return row.next() ? row.getInt(1) : 0;
            }
        }
    }

    /** Moves back rows to keep, up to one more than may be moved at once; returns their number. */
    private static int restore(Connection connection, String partition, OffsetDateTime cut) throws SQLException {
        String sql = String.format(Locale.ROOT, """
                WITH moved AS (
                    DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$s WHERE timestamp >= ? LIMIT ?)) RETURNING *),
                put AS (INSERT INTO messages SELECT * FROM moved ON CONFLICT DO NOTHING)
                SELECT count(*) FROM moved""", partition);
        try (PreparedStatement restore = connection.prepareStatement(sql)) {
            restore.setObject(1, cut);
            restore.setInt(2, MonthPartitions.MOST_MOVED + 1);
            try (ResultSet row = restore.executeQuery()) {
                return row.next() ? row.getInt(1) : 0;
            }
        }
    }

    private static long drop(Connection connection, String partition, OffsetDateTime cut) throws SQLException {
        // In case something else has detached it.
        while (restore(connection, partition, cut) > 0) connection.commit();
        long removed;
        try (PreparedStatement count =
                        connection.prepareStatement("SELECT count(*) FROM " + partition + " WHERE timestamp < ?");
                Statement statement = connection.createStatement()) {
            count.setObject(1, cut);
            try (ResultSet rows = count.executeQuery()) {
                removed = rows.next() ? rows.getLong(1) : 0;
            }
            statement.execute("DROP TABLE " + partition);
        }
        connection.commit();
        log.info("Dropped partition {} with {} message(s)", partition, removed);
        return removed;
    }

    private long delete(Connection connection, String partition, OffsetDateTime cut) throws SQLException {
        String sql = String.format(
                Locale.ROOT,
                "DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$s WHERE timestamp < ? LIMIT %2$d))",
                partition,
                deletesAtOnce);
        long removed = 0;
        try (PreparedStatement delete = connection.prepareStatement(sql)) {
            delete.setObject(1, cut);
            int some;
            do {
                some = delete.executeUpdate();
                connection.commit();
                removed += some;
            } while (some == deletesAtOnce);
        }
        return removed;
    }
}

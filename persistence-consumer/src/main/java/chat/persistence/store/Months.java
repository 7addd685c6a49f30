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
 * Gives {@code messages} its partitions: this month and some more, so that rows find theirs. Any number of consumers may
 * do this at the same time. Blocking; thread-safe.
 */
final class Months {
    private static final Logger log = LoggerFactory.getLogger(Months.class);
    private static final Pattern NAME = Pattern.compile("messages_(\\d{4})_(\\d{2})");

    /** Of whoever creates or removes months, until the transaction ends. Any number will do that nobody else uses. */
    static final long LOCK = 0x636f_6e66_6162_0001L;

    private final DataSource writing;
    private final int ahead;
    private final Clock clock;

    Months(DataSource writing, int ahead, Clock clock) {
        this.writing = writing;
        this.ahead = ahead;
        this.clock = clock;
    }

    /** Creates what is missing of this month and those that follow; rows that were there before it move into it. */
    void create() throws SQLException {
        YearMonth now = YearMonth.now(clock.withZone(ZoneOffset.UTC));
        for (int i = 0; i <= ahead; i++) {
            YearMonth month = now.plusMonths(i);
            try (Connection connection = writing.getConnection()) {
                if (!exists(connection, month)) create(connection, month);
                connection.commit();
            }
        }
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
     * Attaching looks for rows of the month in the default partition, and must find none; so nobody may write there
     * meanwhile. That partition is small. Rows that have a partition of their own are not held up.
     */
    private static void create(Connection connection, YearMonth month) throws SQLException {
        String name = nameOf(month);
        UUID from = firstIdOf(month);
        UUID to = firstIdOf(month.plusMonths(1));
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '3s'");
            statement.execute("SELECT pg_advisory_xact_lock(" + LOCK + ")");
            if (exists(connection, month)) return;
            statement.execute("CREATE TABLE " + name
                    + " (LIKE messages INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)");
            statement.execute("LOCK TABLE messages_default IN ACCESS EXCLUSIVE MODE");
            int moved = statement.executeUpdate("""
                    WITH moved AS (DELETE FROM messages_default WHERE message_id >= '%2$s' AND message_id < '%3$s' RETURNING *)
                    INSERT INTO %1$s SELECT * FROM moved""".formatted(name, from, to));
            statement.execute("ALTER TABLE messages ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')"
                    .formatted(name, from, to));
            log.info("Partition {} is there; {} row(s) moved into it", name, moved);
        }
    }

    static String nameOf(YearMonth month) {
        return String.format(Locale.ROOT, "messages_%04d_%02d", month.getYear(), month.getMonthValue());
    }

    /** The month of a partition; null where it is no month's. */
    static @Nullable YearMonth monthOf(String partition) {
        Matcher matcher = NAME.matcher(partition);
        return matcher.matches()
                ? YearMonth.of(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)))
                : null;
    }

    /** No UUIDv7 of the month is below it, and all of earlier months are: they begin with 48 bits of milliseconds. */
    static UUID firstIdOf(YearMonth month) {
        long millis = month.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
        return new UUID(millis << 16, 0);
    }
}

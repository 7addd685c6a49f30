package chat.persistence.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes old dead letters, open or resolved, in small transactions. Blocking; several consumers may run it at the
 * same time.
 */
final class DeadLetterRetention {
    private static final Logger log = LoggerFactory.getLogger(DeadLetterRetention.class);

    private final DataSource writing;
    private final Duration keep;
    private final int deletesAtOnce;
    private final Clock clock;

    DeadLetterRetention(DataSource writing, Duration keep, int deletesAtOnce, Clock clock) {
        this.writing = writing;
        this.keep = keep;
        this.deletesAtOnce = deletesAtOnce;
        this.clock = clock;
    }

    /** @return number of letters deleted */
    long run() throws SQLException {
        OffsetDateTime cut = OffsetDateTime.ofInstant(clock.instant().minus(keep), ZoneOffset.UTC);
        long removed = 0;
        try (Connection connection = writing.getConnection();
                PreparedStatement delete = connection.prepareStatement("""
                        DELETE FROM dead_letter WHERE id IN (
                          SELECT id FROM dead_letter WHERE created_at < ? LIMIT ? FOR UPDATE SKIP LOCKED)""")) {
            delete.setObject(1, cut);
            delete.setInt(2, deletesAtOnce);
            int some;
            do {
                some = delete.executeUpdate();
                connection.commit();
                removed += some;
            } while (some == deletesAtOnce);
        }
        if (removed > 0) log.info("Removed {} dead letter(s) older than {} days", removed, keep.toDays());
        return removed;
    }
}

package chat.persistence.rollup;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** What only one transaction of all consumers may do at a time. */
final class AdvisoryLock {
    private AdvisoryLock() {}

    /** Whether we have the lock until the end of this transaction; never waits. */
    static boolean tryAcquire(Connection connection, long key) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT pg_try_advisory_xact_lock(?)")) {
            select.setLong(1, key);
            try (ResultSet row = select.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }
}

package chat.persistence.rollup;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Takes a lock that only one transaction of all consumers can hold. */
final class AdvisoryLock {
    private AdvisoryLock() {}

    /** Whether this transaction now holds the lock, until it ends; never waits. */
    static boolean tryAcquire(Connection connection, long key) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT pg_try_advisory_xact_lock(?)")) {
            select.setLong(1, key);
            try (ResultSet row = select.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }
}

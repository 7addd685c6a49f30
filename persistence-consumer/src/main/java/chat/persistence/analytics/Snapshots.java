package chat.persistence.analytics;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Runs read-only work in transactions that each see one snapshot of the database. Blocking; thread-safe. */
public final class Snapshots {
    private final DataSource reading;

    /** @param reading connections without auto-commit whose transactions see one snapshot */
    public Snapshots(DataSource reading) {
        this.reading = reading;
    }

    /** Work done in a transaction. */
    @FunctionalInterface
    interface Reading<T> {
        T read(Connection connection) throws SQLException;
    }

    <T> T read(Reading<T> reads) throws SQLException {
        try (Connection connection = reading.getConnection()) {
            T answer = reads.read(connection);
            connection.commit();
            return answer;
        }
    }
}

package chat.persistence.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Listens for new rows within the transaction that stores them, so that its own writes commit with them. Thread-safe.
 */
@FunctionalInterface
public interface RowsStoredListener {
    /** Does nothing. */
    RowsStoredListener NONE = (connection, fresh, late) -> {};

    /**
     * Called after rows were inserted and before they are committed, once per transaction that has new rows, on the
     * partition's thread. Writes on the connection commit or roll back together with the rows.
     *
     * @param connection of the transaction; must not be committed, rolled back or closed
     * @param fresh new rows in the order of the log, at least one; no duplicates
     * @param late whether their positions lie before others that were stored earlier
     * @throws SQLException the transaction is rolled back, and the whole batch is tried again later
     */
    void stored(Connection connection, List<KeyedRow> fresh, boolean late) throws SQLException;
}

package chat.persistence.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Hears of rows in the transaction that stores them, so that what it writes is as exact as they are. Thread-safe. */
@FunctionalInterface
public interface RowsStoredListener {
    /** Nobody wants to know. */
    RowsStoredListener UNHEARD = (connection, fresh, late) -> {};

    /**
     * Rows were inserted and are about to be committed. Called once in each transaction that has such rows, on the
     * partition's thread; what is written on the connection is committed with the rows, or not at all.
     *
     * @param connection of the transaction: neither to be committed nor rolled back nor closed
     * @param fresh what was not in the table before, in the order of the log, at least one; no duplicates
     * @param late whether their places in the log lie before others that were stored earlier
     * @throws SQLException the transaction is rolled back, and the whole batch is tried again later
     */
    void stored(Connection connection, List<KeyedRow> fresh, boolean late) throws SQLException;
}

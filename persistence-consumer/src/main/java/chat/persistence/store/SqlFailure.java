package chat.persistence.store;

import chat.persistence.batch.RowsRejected;
import chat.persistence.batch.StoreUnavailable;
import java.sql.SQLException;

/** Distinguishes rows that can never be stored from a database that cannot store them now. */
final class SqlFailure {
    private SqlFailure() {}

    /**
     * Whether the rows are at fault: data exceptions (22), violated constraints (23), and exceeded limits of the
     * server (54), such as an index entry that is too long. All other failures may be temporary and are retried
     * forever, since dropping messages would be worse.
     *
     * @see <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL error codes</a>
     */
    static boolean isOfTheData(SQLException failure) {
        String state = failure.getSQLState();
        return state != null && (state.startsWith("22") || state.startsWith("23") || state.startsWith("54"));
    }

    /** Returns the failure, or throws {@link RowsRejected} if the rows are at fault. */
    static SQLException orRefusal(SQLException failure) throws RowsRejected {
        if (isOfTheData(failure)) throw new RowsRejected(firstLine(failure), failure);
        return failure;
    }

    static StoreUnavailable unavailable(Exception failed) {
        Throwable root = rootOf(failed);
        String state = root instanceof SQLException sql ? sql.getSQLState() : null;
        return new StoreUnavailable(firstLine(root) + (state == null ? "" : " (SQLSTATE " + state + ")"), failed);
    }

    /** The message of PostgreSQL or the driver, without those that the pool and Flyway add. */
    private static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        for (Throwable cause = failure; cause != null; cause = cause.getCause())
            if (cause instanceof SQLException sql && sql.getSQLState() != null) root = cause;
        return root;
    }

    private static String firstLine(Throwable failure) {
        String message = failure.getMessage();
        return message == null
                ? failure.getClass().getSimpleName()
                : message.lines().findFirst().orElse("");
    }
}

package chat.persistence.store;

import java.sql.SQLException;

/** Tells rows that can never be stored from a database that can't store them now. */
final class SqlFailure {
    private SqlFailure() {}

    /**
     * Whether the rows are at fault: data exceptions (22), violated constraints (23), and what exceeds a limit of the
     * server, like an index entry that is too long (54). Everything else can pass, or be mended, and is tried again for
     * ever: dropping would be worse.
     *
     * @see <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL error codes</a>
     */
    static boolean isOfTheData(SQLException failure) {
        String state = failure.getSQLState();
        return state != null && (state.startsWith("22") || state.startsWith("23") || state.startsWith("54"));
    }
}

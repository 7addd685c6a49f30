package chat.persistence.rollup;

import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs a repeated failure once, and the recovery once. Confined to its thread. */
final class FailureLog {
    private static final Logger log = LoggerFactory.getLogger(FailureLog.class);
    private static final String UNDEFINED_TABLE = "42P01";

    private final String what;
    private boolean logged;
    private boolean loggedBug;

    FailureLog(String what) {
        this.what = what;
    }

    void works() {
        if (logged) log.info("{} works again", what);
        logged = false;
        loggedBug = false;
    }

    void fails(Throwable failure) {
        // The ingest creates the tables and reports a database that is not available yet.
        if (failure instanceof SQLException sql && UNDEFINED_TABLE.equals(sql.getSQLState())) return;
        boolean isBug = !(failure instanceof SQLException);
        if (isBug && !loggedBug) log.error("{} failed; retrying", what, failure);
        else if (!logged) log.warn("{} failed; retrying: {}", what, failure.getMessage());
        logged = true;
        loggedBug |= isBug;
    }
}

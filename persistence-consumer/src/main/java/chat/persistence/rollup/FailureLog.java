package chat.persistence.rollup;

import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says once that something fails, however often it is tried, and once that it works again. Confined to its thread. */
final class FailureLog {
    private static final Logger log = LoggerFactory.getLogger(FailureLog.class);
    private static final String UNDEFINED_TABLE = "42P01";

    private final String what;
    private boolean said;
    private boolean saidBug;

    FailureLog(String what) {
        this.what = what;
    }

    void works() {
        if (said) log.info("{} works again", what);
        said = false;
        saidBug = false;
    }

    void fails(Throwable failure) {
        // The ingest makes the tables; it speaks for a database that is not there yet.
        if (failure instanceof SQLException sql && UNDEFINED_TABLE.equals(sql.getSQLState())) return;
        boolean isBug = !(failure instanceof SQLException);
        if (isBug && !saidBug) log.error("{} fails and is tried again", what, failure);
        else if (!said) log.warn("{} fails and is tried again: {}", what, failure.getMessage());
        said = true;
        saidBug |= isBug;
    }
}

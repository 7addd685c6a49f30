package chat.persistence.rollup;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says once that something fails, however often it is tried, and once that it works again. Confined to its thread. */
final class Complaint {
    private static final Logger log = LoggerFactory.getLogger(Complaint.class);
    private static final String UNDEFINED_TABLE = "42P01";

    private final String what;
    private @Nullable String said;

    Complaint(String what) {
        this.what = what;
    }

    void works() {
        if (said != null) log.info("{} works again", what);
        said = null;
    }

    void fails(Exception failure) {
        // The ingest makes the tables; it speaks for a database that is not there yet.
        if (failure instanceof SQLException sql && UNDEFINED_TABLE.equals(sql.getSQLState())) return;
        String reason = String.valueOf(failure.getMessage());
        if (failure instanceof RuntimeException) log.error("{} fails and is tried again", what, failure);
        else if (said == null) log.warn("{} fails and is tried again: {}", what, reason);
        said = reason;
    }
}

package chat.persistence.ingest;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tracks whether the database works and logs each change once. Thread-safe. */
final class DatabaseState {
    private static final Logger log = LoggerFactory.getLogger(DatabaseState.class);

    private @Nullable String failure;

    synchronized void succeeded() {
        if (failure != null) log.info("PostgreSQL works again");
        failure = null;
    }

    synchronized void failed(String message) {
        if (!message.equals(failure)) log.error("PostgreSQL is unavailable; retrying: {}", message);
        failure = message;
    }

    synchronized boolean isUp() {
        return failure == null;
    }
}

package chat.persistence.ingest;

import chat.persistence.batch.Backoff;
import chat.persistence.batch.BatchSettings;
import java.time.Duration;

/**
 * Settings of reading and writing partitions.
 *
 * @param retry delays between attempts while the database cannot be written to
 * @param fenced delay before a partition is read again that another consumer has moved, 10 ms to 10 minutes
 * @param announce minimum time between two notifications in the log of how far a partition is stored, 50 ms to 1
 *     minute
 * @param drainQuiet time without a message after which an in-memory log counts as read to its end, 1 ms to 10 s
 * @param stopLimit maximum time to store, at shutdown, what was read, 100 ms to 10 minutes
 */
public record IngestSettings(
        BatchSettings batch,
        Backoff.Settings retry,
        Duration fenced,
        Duration announce,
        Duration drainQuiet,
        Duration stopLimit) {
    public IngestSettings {
        require("fenced", fenced, Duration.ofMillis(10), Duration.ofMinutes(10));
        require("announce-interval", announce, Duration.ofMillis(50), Duration.ofMinutes(1));
        require("drain-quiet", drainQuiet, Duration.ofMillis(1), Duration.ofSeconds(10));
        require("stop-limit", stopLimit, Duration.ofMillis(100), Duration.ofMinutes(10));
    }

    private static void require(String what, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0)
            throw new IllegalArgumentException(
                    "chat.consumer." + what + " must be " + min + " to " + max + ", not " + value);
    }
}

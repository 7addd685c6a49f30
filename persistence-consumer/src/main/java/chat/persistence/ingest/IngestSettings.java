package chat.persistence.ingest;

import chat.persistence.batch.Backoff;
import chat.persistence.batch.BatchSettings;
import java.time.Duration;

/**
 * How partitions are read and written.
 *
 * @param retry between attempts while the database can't be written to
 * @param fenced after another consumer has moved a partition's position, until we look at it again; 10 ms to 10 minutes
 * @param announce between two announcements in the log of how far a partition is stored; 50 ms to 1 minute
 * @param drainQuiet at the end of a log that ends with its process: without a message for so long, it is read to its end;
 *     1 ms to 10 s
 * @param stopLimit in which to store, when stopping, what was read; 100 ms to 10 minutes
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

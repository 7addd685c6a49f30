package chat.persistence.ingest;

import chat.persistence.batch.Backoff;
import chat.persistence.batch.BatchSettings;
import java.time.Duration;

/**
 * Settings of reading and writing partitions.
 *
 * @param retry delays between attempts while the database cannot be written to
 * @param fenced delay before a partition is read again that another consumer has moved
 * @param notificationInterval minimum time between two notifications in the log of how far a partition is stored
 * @param drainQuiet time without a message after which an in-memory log counts as read to its end
 * @param stopLimit maximum time to store, at shutdown, what was read, 100 ms to 10 minutes
 */
public record IngestSettings(
        BatchSettings batch,
        Backoff.Settings retry,
        Duration fenced,
        Duration notificationInterval,
        Duration drainQuiet,
        Duration stopLimit) {
    /** The first retry hides a short failover; the longest bounds the delay after a long outage. */
    private static final Backoff.Settings RETRY = new Backoff.Settings(Duration.ofMillis(100), Duration.ofSeconds(5));
    /** Long enough that two consumers do not compete for each batch, short enough to replace a stopped one. */
    private static final Duration FENCED = Duration.ofSeconds(5);
    /** Members see that a message is stored after at most this time; four entries per second and partition. */
    private static final Duration NOTIFICATION_INTERVAL = Duration.ofMillis(250);
    /** The server that writes an in-memory log runs in the same process, so a message arrives within milliseconds. */
    private static final Duration DRAIN_QUIET = Duration.ofMillis(300);

    /** Far longer than a healthy database takes; below the timeouts of systemd and Kubernetes. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    private static final Duration MIN_STOP_LIMIT = Duration.ofMillis(100);
    private static final Duration MAX_STOP_LIMIT = Duration.ofMinutes(10);

    public IngestSettings {
        if (stopLimit.compareTo(MIN_STOP_LIMIT) < 0 || stopLimit.compareTo(MAX_STOP_LIMIT) > 0)
            throw new IllegalArgumentException(
                    "stopLimit must be " + MIN_STOP_LIMIT + " to " + MAX_STOP_LIMIT + ", not " + stopLimit);
    }

    /** With the production values of everything that is not a setting. */
    public IngestSettings(BatchSettings batch) {
        this(batch, RETRY, FENCED, NOTIFICATION_INTERVAL, DRAIN_QUIET, STOP_LIMIT);
    }
}

package chat.persistence;

import chat.persistence.batch.Backoff;
import chat.persistence.batch.BatchSettings;
import chat.persistence.ingest.IngestSettings;
import chat.persistence.rate.RestRateSettings;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the consumer; {@code persistence-consumer.yml} shows the defaults.
 *
 * @param batch when a batch is closed
 * @param writers batches written at the same time, of different partitions, 1 to 64
 * @param retry delays between attempts while the database cannot be written to
 * @param fenced delay before the consumer reads a partition again that another consumer has moved
 * @param announceInterval minimum time between two notifications in the log of how far a partition is stored
 * @param drainQuiet time without a message after which an in-memory log counts as read to its end
 * @param stopLimit maximum time to store, at shutdown, what was read
 * @param rate REST rate limit of each client address
 * @param healthPath path of the health endpoint, beginning with /
 */
@ConfigurationProperties("chat.consumer")
record ConsumerProperties(
        @DefaultValue Batch batch,
        @DefaultValue("2") int writers,
        @DefaultValue Retry retry,
        @DefaultValue("5s") Duration fenced,
        @DefaultValue("250ms") Duration announceInterval,
        @DefaultValue("300ms") Duration drainQuiet,
        @DefaultValue("10s") Duration stopLimit,
        @DefaultValue Rate rate,
        @DefaultValue("/health") String healthPath) {
    ConsumerProperties {
        if (!healthPath.matches("(/[A-Za-z0-9_.-]+)+"))
            throw new IllegalArgumentException(
                    "chat.consumer.health-path must be a path like /health, not " + healthPath);
        if (writers < 1 || writers > 64)
            throw new IllegalArgumentException("chat.consumer.writers must be 1 to 64, not " + writers);
        IngestSettings unused = ingest(batch, retry, fenced, announceInterval, drainQuiet, stopLimit);
    }

    /**
     * REST rate limit of each client address; IPv6 addresses count by their first 64 bits.
     *
     * @param perSecond sustained requests per second; 0: no limit
     * @param burst requests at once after a pause
     * @param maxKeys maximum number of addresses tracked at once
     * @param exempt networks without a limit, such as the chat servers'
     * @param trustedProxies networks of the proxies whose {@code X-Forwarded-For} is trusted
     */
    record Rate(
            @DefaultValue("0") double perSecond,
            @DefaultValue("50") int burst,
            @DefaultValue("100000") int maxKeys,
            @DefaultValue List<String> exempt,
            @DefaultValue List<String> trustedProxies) {
        Rate {
            RestRateSettings unused = new RestRateSettings(perSecond, burst, maxKeys, exempt, trustedProxies);
        }
    }

    record Batch(
            @DefaultValue("1000") int size,
            @DefaultValue("500ms") Duration age,
            @DefaultValue("10s") Duration positionInterval) {}

    record Retry(
            @DefaultValue("100ms") Duration min,
            @DefaultValue("5s") Duration max) {}

    RestRateSettings restRate() {
        return new RestRateSettings(
                rate.perSecond(), rate.burst(), rate.maxKeys(), rate.exempt(), rate.trustedProxies());
    }

    IngestSettings ingest() {
        return ingest(batch, retry, fenced, announceInterval, drainQuiet, stopLimit);
    }

    private static IngestSettings ingest(
            Batch batch,
            Retry retry,
            Duration fenced,
            Duration announceInterval,
            Duration drainQuiet,
            Duration stopLimit) {
        return new IngestSettings(
                new BatchSettings(batch.size(), batch.age(), batch.positionInterval()),
                new Backoff.Settings(retry.min(), retry.max()),
                fenced,
                announceInterval,
                drainQuiet,
                stopLimit);
    }
}

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
 * How the consumer works; {@code persistence-consumer.yml} shows the defaults.
 *
 * @param batch when a batch is closed
 * @param writers batches that are written at the same time, of different partitions, 1 to 64
 * @param retry between attempts while the database can't be written to
 * @param fenced until we look again at a partition that another consumer has moved
 * @param announceInterval between two announcements in the log of how far a partition is stored
 * @param drainQuiet without a message for so long, a log that ends with its process is read to its end
 * @param stopLimit in which to store, when stopping, what was read
 * @param rate how often each address may ask over REST
 * @param healthPath of the health answer, beginning with /
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
     * How often each client address may ask over REST, an IPv6 one by its first 64 bits.
     *
     * @param perSecond sustained; 0: as often as it likes
     * @param burst at once after a pause
     * @param maxKeys addresses that are known at once
     * @param exempt networks that may ask as often as they like, such as the chat servers'
     * @param trustedProxies networks of the proxies that are believed about whom they have a request from
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

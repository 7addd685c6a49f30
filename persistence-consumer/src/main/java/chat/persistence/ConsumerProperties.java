package chat.persistence;

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
 * @param stopLimit maximum time to store, at shutdown, what was read
 * @param rate REST rate limit of each client address
 * @param healthPath path of the health endpoint, beginning with /
 */
@ConfigurationProperties("chat.consumer")
record ConsumerProperties(
        @DefaultValue Batch batch,
        @DefaultValue("2") int writers,
        @DefaultValue("10s") Duration stopLimit,
        @DefaultValue Rate rate,
        @DefaultValue("/health") String healthPath) {
    ConsumerProperties {
        if (!healthPath.matches("(/[A-Za-z0-9_.-]+)+"))
            throw new IllegalArgumentException(
                    "chat.consumer.health-path must be a path like /health, not " + healthPath);
        if (writers < 1 || writers > 64)
            throw new IllegalArgumentException("chat.consumer.writers must be 1 to 64, not " + writers);
        IngestSettings unused = ingest(batch, stopLimit);
    }

    /**
     * REST rate limit of each client address; IPv6 addresses count by their first 64 bits.
     *
     * @param perSecond sustained requests per second; 0: no limit
     * @param burst requests at once after a pause
     * @param exempt networks without a limit, such as the chat servers'
     * @param trustedProxies networks of the proxies whose {@code X-Forwarded-For} is trusted
     */
    record Rate(
            @DefaultValue("0") double perSecond,
            @DefaultValue("50") int burst,
            @DefaultValue List<String> exempt,
            @DefaultValue List<String> trustedProxies) {
        Rate {
            RestRateSettings unused = new RestRateSettings(perSecond, burst, exempt, trustedProxies);
        }
    }

    record Batch(
            @DefaultValue("1000") int size,
            @DefaultValue("500ms") Duration age,
            @DefaultValue("10s") Duration positionInterval) {}

    RestRateSettings restRate() {
        return new RestRateSettings(rate.perSecond(), rate.burst(), rate.exempt(), rate.trustedProxies());
    }

    IngestSettings ingest() {
        return ingest(batch, stopLimit);
    }

    private static IngestSettings ingest(Batch batch, Duration stopLimit) {
        return new IngestSettings(new BatchSettings(batch.size(), batch.age(), batch.positionInterval()), stopLimit);
    }
}

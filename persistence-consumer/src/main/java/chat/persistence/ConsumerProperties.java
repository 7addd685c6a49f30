package chat.persistence;

import chat.persistence.batch.BatchSettings;
import chat.persistence.ingest.IngestSettings;
import chat.persistence.rate.RestRateSettings;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the consumer; {@code persistence-consumer.yml} shows the defaults.
 *
 * @param batch when a batch is closed
 * @param writers concurrent batches, of different partitions, 1 to 64
 * @param rate REST rate limit of each client address
 */
@ConfigurationProperties("chat.consumer")
record ConsumerProperties(
        @DefaultValue Batch batch,
        @DefaultValue("2") int writers,
        @DefaultValue RestRateSettings rate) {
    ConsumerProperties {
        if (writers < 1 || writers > 64)
            throw new IllegalArgumentException("chat.consumer.writers must be 1 to 64, not " + writers);
    }

    /**
     * The settings of an operator in {@link BatchSettings}, whose package does not depend on Spring.
     *
     * @param size messages that close a batch, 1 to 100,000
     * @param age age of the oldest message that closes a batch, 1 ms to 1 minute
     */
    record Batch(
            @DefaultValue("1000") int size,
            @DefaultValue("500ms") Duration age) {
        Batch {
            BatchSettings unused = new BatchSettings(size, age);
        }
    }

    IngestSettings ingest() {
        return new IngestSettings(new BatchSettings(batch.size(), batch.age()));
    }
}

package chat.persistence.store;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the tables.
 *
 * @param names cached names of rooms, and of users, 1,000 to 10,000,000; about 150 bytes each
 * @param monthsAhead number of future months that have partitions, 1 to 24
 * @param keep retention of messages in days, 31 to 36,500; 0: forever
 * @param keepDeadLetters retention of dead letters in days, including resolved ones; 1 to 3,650
 * @param maintenance time between two maintenance runs, 1 minute to 1 day
 */
@ConfigurationProperties("chat.store")
public record StoreProperties(
        @DefaultValue("200000") int names,
        @DefaultValue("3") int monthsAhead,
        @DefaultValue("0") int keep,
        @DefaultValue("30") int keepDeadLetters,
        @DefaultValue("1h") Duration maintenance) {
    public StoreProperties {
        require("names", names, 1_000, 10_000_000);
        require("months-ahead", monthsAhead, 1, 24);
        if (keep != 0) require("keep", keep, 31, 36_500);
        require("keep-dead-letters", keepDeadLetters, 1, 3_650);
        if (maintenance.compareTo(Duration.ofMinutes(1)) < 0 || maintenance.compareTo(Duration.ofDays(1)) > 0)
            throw new IllegalArgumentException("chat.store.maintenance must be PT1M to PT24H, not " + maintenance);
    }

    private static void require(String name, int value, int min, int max) {
        if (value < min || value > max)
            throw new IllegalArgumentException(
                    "chat.store." + name + " must be " + min + " to " + max + ", not " + value);
    }
}

package chat.persistence.store;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the tables.
 *
 * @param keep days to keep messages, 31 to 36,500; 0: forever
 * @param keepDeadLetters days to keep dead letters, resolved or not, 1 to 3,650
 */
@ConfigurationProperties("chat.store")
public record StoreProperties(
        @DefaultValue("0") int keep, @DefaultValue("30") int keepDeadLetters) {
    public StoreProperties {
        if (keep != 0) require("keep", keep, 31, 36_500);
        require("keep-dead-letters", keepDeadLetters, 1, 3_650);
    }

    private static void require(String name, int value, int min, int max) {
        if (value < min || value > max)
            throw new IllegalArgumentException(
                    "chat.store." + name + " must be " + min + " to " + max + ", not " + value);
    }
}

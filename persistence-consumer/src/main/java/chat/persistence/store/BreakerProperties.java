package chat.persistence.store;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the circuit breaker before PostgreSQL.
 *
 * @param failures consecutive failures that open it, 1 to 1,000
 * @param open minimum time it stays open, 10 ms to 5 minutes; then one attempt decides
 */
@ConfigurationProperties("chat.store.breaker")
public record BreakerProperties(
        @DefaultValue("5") int failures, @DefaultValue("2s") Duration open) {
    public BreakerProperties {
        if (failures < 1 || failures > 1_000)
            throw new IllegalArgumentException("chat.store.breaker.failures must be 1 to 1000, not " + failures);
        if (open.compareTo(Duration.ofMillis(10)) < 0 || open.compareTo(Duration.ofMinutes(5)) > 0)
            throw new IllegalArgumentException("chat.store.breaker.open must be PT0.01S to PT5M, not " + open);
    }
}

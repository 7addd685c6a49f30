package chat.kit.tracing;

import java.net.URI;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configures which messages are traced, and the collector.
 *
 * @param endpoint URL of an OTLP collector over HTTP, such as {@code http://127.0.0.1:4318/v1/traces}; empty: no tracing
 * @param probability share of traced messages, 0 to 1; the same in every program
 */
@ConfigurationProperties("chat.tracing")
public record TracingSettings(
        @DefaultValue("") String endpoint,
        @DefaultValue("0.001") double probability) {
    public TracingSettings {
        TraceSample unused = new TraceSample(probability);
        if (!endpoint.isEmpty()) {
            URI uri = URI.create(endpoint);
            if (uri.getHost() == null
                    || uri.getScheme() == null
                    || !uri.getScheme().matches("https?"))
                throw new IllegalArgumentException("endpoint must be an http or https URL");
        }
    }
}

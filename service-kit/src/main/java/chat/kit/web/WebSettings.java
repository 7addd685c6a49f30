package chat.kit.web;

import chat.kit.admission.KnownHosts;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configures the host names that the program accepts, and the pages that may read its responses.
 *
 * @param allowedHosts accepted {@code Host} names besides localhost and IP addresses; {@code *}: all; empty: all on a public port that requires tokens, else none
 * @param corsOrigins origins whose pages may read responses, such as {@code https://www.example}; {@code *}: all
 */
@ConfigurationProperties("chat.web")
public record WebSettings(
        @DefaultValue List<String> allowedHosts,
        @DefaultValue List<String> corsOrigins) {
    public WebSettings {
        KnownHosts unusedHosts = new KnownHosts(allowedHosts);
        CrossOrigin unusedOrigins = new CrossOrigin(corsOrigins);
    }
}

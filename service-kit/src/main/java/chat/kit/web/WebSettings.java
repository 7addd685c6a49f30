package chat.kit.web;

import chat.kit.admission.KnownHosts;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configures the host names that the program accepts, and the pages that may read its responses.
 *
 * @param allowedHosts names accepted as {@code Host} besides localhost and IP addresses; {@code *}: all; empty: all on
 *     a public port that asks for tokens, else none
 * @param corsOrigins origins of other pages that may read what is served, such as {@code https://www.example}; {@code
 *     *}: all; empty: none
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

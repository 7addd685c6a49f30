package chat.server.history;

import java.net.URI;

/**
 * Configures requests for older messages.
 *
 * @param url URL of the consumer
 * @param tokenFile file with the token for the consumer, read again when it changes
 */
public record HistorySettings(URI url, String tokenFile) {
    public HistorySettings {
        boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
        if (!http || url.getHost() == null)
            throw new IllegalArgumentException("url must look like http://host:8090, not " + url);
    }
}

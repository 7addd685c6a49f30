package chat.load.lab.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The servers under load.
 *
 * @param servers as the load client connects to them
 * @param history the consumer's REST API; null if unknown
 */
public record Targets(List<URI> servers, @Nullable URI history) {
    public Targets {
        servers = List.copyOf(servers);
    }

    static int port(URI uri) {
        if (uri.getPort() >= 0) return uri.getPort();
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        return scheme.equals("wss") || scheme.equals("https") ? 443 : 80;
    }

    /** Resolves the name: this can block. */
    static boolean isHere(URI uri) {
        try {
            InetAddress address = InetAddress.getByName(uri.getHost());
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (IOException unknown) {
            return false;
        }
    }
}

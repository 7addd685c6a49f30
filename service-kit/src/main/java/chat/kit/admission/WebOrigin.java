package chat.kit.admission;

import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Represents the origin of a web page (RFC 6454) in a comparable form: scheme and host in lower case, the scheme's
 * default port as a number.
 *
 * @param port -1: the origin has no port, and the scheme no default
 */
public record WebOrigin(String scheme, String host, int port) {
    private static final Map<String, Integer> DEFAULT_PORTS = Map.of("http", 80, "https", 443);

    /** Returns null if the text is not an origin, such as {@code null} or an address with a path. */
    public static @Nullable WebOrigin parse(String text) {
        int colon = text.indexOf("://");
        if (colon < 0) return null;
        String scheme = text.substring(0, colon).toLowerCase(Locale.ROOT);
        HostPort host = HostPort.parse(text.substring(colon + 3));
        if (host == null || !scheme.matches("[a-z][a-z0-9+.-]*")) return null;
        return new WebOrigin(scheme, host.host(), host.port() < 0 ? defaultPort(scheme) : host.port());
    }

    private static int defaultPort(String scheme) {
        return DEFAULT_PORTS.getOrDefault(scheme, -1);
    }

    /**
     * Parses the origins of a setting.
     *
     * @throws IllegalArgumentException if one is not an origin; the message contains it
     */
    public static Set<WebOrigin> allOf(Collection<String> texts) {
        return texts.stream().map(WebOrigin::of).collect(Collectors.toUnmodifiableSet());
    }

    private static WebOrigin of(String text) {
        WebOrigin origin = parse(text);
        if (origin == null)
            throw new IllegalArgumentException(
                    "an origin must be like https://chat.example or http://localhost:3000, without a path, not "
                            + text);
        return origin;
    }

    /**
     * Returns whether a page of this origin was loaded from this {@code Host}. Ignores the server's scheme, which is
     * unknown behind a proxy that terminates TLS.
     */
    public boolean isOf(HostPort server) {
        return DEFAULT_PORTS.containsKey(scheme)
                && server.host().equals(host)
                && port == (server.port() < 0 ? defaultPort(scheme) : server.port());
    }
}

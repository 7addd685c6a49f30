package chat.load.driver;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Locale;

/**
 * Address of a chat server, without the room: {@code ws://host:port} or {@code wss://host:port}, with an optional
 * path prefix for a proxy.
 */
public record ServerUrl(URI uri) {
    public ServerUrl {
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (!(scheme.equals("ws") || scheme.equals("wss")) || uri.getHost() == null)
            throw new IllegalArgumentException("a server is given as ws://host:port or wss://host:port, not " + uri);
        if (uri.getQuery() != null || uri.getFragment() != null)
            throw new IllegalArgumentException("a server's URL has neither query nor fragment: " + uri);
    }

    public static ServerUrl parse(String text) {
        try {
            return new ServerUrl(URI.create(text));
        } catch (IllegalArgumentException invalid) {
            String reason = invalid.getMessage();
            throw new IllegalArgumentException(reason == null ? "not a URL: " + text : reason, invalid);
        }
    }

    public boolean secure() {
        return "wss".equalsIgnoreCase(uri.getScheme());
    }

    public int port() {
        if (uri.getPort() >= 0) return uri.getPort();
        return secure() ? 443 : 80;
    }

    /** Resolves the name: this can block. */
    public InetSocketAddress address() {
        return new InetSocketAddress(uri.getHost(), port());
    }

    /** Resolves the name: this can block. */
    public boolean isLoopback() {
        InetAddress address = address().getAddress();
        return address != null && address.isLoopbackAddress();
    }

    /** @param path such as {@code /chat/lobby} */
    URI at(String path) {
        String base = uri.toString();
        return URI.create((base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + path);
    }

    @Override
    public String toString() {
        return uri.toString();
    }
}

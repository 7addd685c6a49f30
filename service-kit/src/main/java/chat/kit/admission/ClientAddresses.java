package chat.kit.admission;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Determines the addresses of clients behind proxies. Clients can forge {@code X-Forwarded-For}, but each proxy appends
 * the address that it received the request from. So this class reads the header from its end, as long as trusted
 * proxies have written it: the first address that is not a trusted proxy is the client's, and everything before it is
 * ignored.
 */
public final class ClientAddresses {
    /** The header with the addresses of client and proxies. */
    public static final String HEADER = "X-Forwarded-For";

    private final Networks proxies;

    /** @param proxies trusted proxies; empty: the header is ignored */
    public ClientAddresses(Networks proxies) {
        this.proxies = proxies;
    }

    /**
     * Returns the client's address.
     *
     * @param remote remote address of the connection
     * @param forwardedFor the values of {@link #HEADER}, in order
     * @return null if the remote address is unknown
     */
    public @Nullable InetAddress client(@Nullable InetSocketAddress remote, List<String> forwardedFor) {
        InetAddress peer = remote == null ? null : remote.getAddress();
        return peer == null ? null : client(peer, forwardedFor);
    }

    private InetAddress client(InetAddress peer, List<String> forwardedFor) {
        InetAddress client = peer;
        for (int line = forwardedFor.size() - 1; line >= 0; line--) {
            String[] hops = forwardedFor.get(line).split(",", -1);
            for (int i = hops.length - 1; i >= 0; i--) {
                if (!proxies.contains(client)) return client;
                InetAddress before = address(hops[i].strip());
                // A proxy that hides its client counts as the client.
                if (before == null) return client;
                client = before;
            }
        }
        return client;
    }

    /**
     * Parses {@code 192.0.2.1}, {@code 192.0.2.1:1234}, {@code 2001:db8::1} or {@code [2001:db8::1]:1234}, but no host
     * names.
     */
    private static @Nullable InetAddress address(String hop) {
        String literal = hop;
        if (hop.startsWith("[")) {
            int end = hop.indexOf(']');
            if (end < 0) return null;
            literal = hop.substring(1, end);
        } else if (hop.indexOf(':') >= 0 && hop.indexOf(':') == hop.lastIndexOf(':')) {
            literal = hop.substring(0, hop.indexOf(':'));
        }
        try {
            return Literals.address(literal);
        } catch (IllegalArgumentException notAnAddress) {
            return null;
        }
    }
}

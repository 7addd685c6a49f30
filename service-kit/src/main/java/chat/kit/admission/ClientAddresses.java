package chat.kit.admission;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where clients are behind proxies. {@code X-Forwarded-For} is what anybody likes to write, and each proxy adds at its end
 * from whom it has the request. So it is read from its end, and only as far as proxies have written it that are known: the
 * first address that is not theirs is the client's, whatever stands before it.
 */
public final class ClientAddresses {
    /** The header that is read. */
    public static final String HEADER = "X-Forwarded-For";

    private final Networks proxies;

    /** @param proxies those that are believed; none: the header is not looked at */
    public ClientAddresses(Networks proxies) {
        this.proxies = proxies;
    }

    /**
     * @param remote the other end of the connection
     * @param forwardedFor the values of {@link #HEADER}, in their order
     * @return null where the other end is not known
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
                // A proxy that hides from whom it has something answers for it itself.
                if (before == null) return client;
                client = before;
            }
        }
        return client;
    }

    /** Of {@code 192.0.2.1}, {@code 192.0.2.1:1234}, {@code 2001:db8::1} or {@code [2001:db8::1]:1234}; never a name. */
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

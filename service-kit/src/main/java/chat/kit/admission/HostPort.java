package chat.kit.admission;

import java.net.InetAddress;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Represents host and port of a {@code Host} header.
 *
 * @param host in lower case; an IPv6 address in brackets
 * @param port -1: the scheme's default port
 */
public record HostPort(String host, int port) {
    private static final int MAX_PORT = 65_535;
    private static final Pattern TEXT = Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(?::([0-9]{0,5}))?");

    /** Returns null if the text is not a host. */
    public static @Nullable HostPort parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) return null;
        String port = parts.group(2);
        int number = port == null || port.isEmpty() ? -1 : Integer.parseInt(port);
        return number > MAX_PORT ? null : new HostPort(parts.group(1).toLowerCase(Locale.ROOT), number);
    }

    /** Returns whether the host is an IP address. */
    boolean isLiteral() {
        boolean bracketed = host.startsWith("[");
        try {
            InetAddress unused = Literals.address(bracketed ? host.substring(1, host.length() - 1) : host);
            return true;
        } catch (IllegalArgumentException name) {
            return false;
        }
    }
}

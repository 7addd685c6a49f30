package chat.persistence.dashboard;

import java.net.URI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The management address of a chat server, or of all servers that one host name resolves to.
 *
 * @param name shown to people
 * @param management URL of the management port, without a path
 * @param each whether each address of the host is a server, as in a headless service of Kubernetes
 */
record ServerAddress(String name, URI management, boolean each) {
    private static final Pattern FORM = Pattern.compile(
            "(?:([A-Za-z0-9._-]{1,64})=)?(?:(dns)\\+)?(https?://([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):([0-9]{1,5}))/?");

    /**
     * @param text {@code name=http://host:port}, {@code dns+http://host:port}, or an address alone, which is then the
     *     name
     */
    static ServerAddress parse(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches() || Integer.parseInt(matcher.group(5)) > 65_535)
            throw new IllegalArgumentException(
                    "chat.dashboard.servers must be addresses like server-1=http://10.0.0.1:9080"
                            + " or dns+http://chat-servers:9080, not " + text);
        boolean each = matcher.group(2) != null;
        URI management = URI.create(matcher.group(3));
        if (each && management.getScheme().equals("https"))
            throw new IllegalArgumentException(
                    "chat.dashboard.servers: with dns+ only http, as no certificate is an address's, not " + text);
        String name = matcher.group(1);
        return new ServerAddress(name == null ? matcher.group(4) + ":" + matcher.group(5) : name, management, each);
    }
}

package chat.persistence.dashboard;

import java.net.URI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A chat server that is asked for its figures.
 *
 * @param name shown to people
 * @param management where its management port is, without a path
 */
record ServerAddress(String name, URI management) {
    private static final Pattern FORM = Pattern.compile(
            "(?:([A-Za-z0-9._-]{1,64})=)?(https?://([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):([0-9]{1,5}))/?");

    /** @param text {@code name=http://host:port}, or the address alone, which is the name then */
    static ServerAddress parse(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches() || Integer.parseInt(matcher.group(4)) > 65_535)
            throw new IllegalArgumentException(
                    "chat.dashboard.servers must be addresses like server-1=http://10.0.0.1:9080, not " + text);
        String host = matcher.group(3) + ":" + matcher.group(4);
        String name = matcher.group(1);
        return new ServerAddress(name == null ? host : name, URI.create(matcher.group(2)));
    }
}

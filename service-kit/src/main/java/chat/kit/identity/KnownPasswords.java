package chat.kit.identity;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Detects well-known passwords, such as the defaults of brokers and databases. */
public final class KnownPasswords {
    private static final Set<String> KNOWN = Set.of("guest", "postgres", "password", "admin", "changeme", "secret");

    private KnownPasswords() {}

    /** Returns whether the password is well known or equals the user name. */
    public static boolean contain(@Nullable String user, String password) {
        return KNOWN.contains(password) || password.equals(user);
    }

    /** Checks {@code amqp://user:password@host}; without a password, clients use the broker's default. */
    public static boolean openBroker(URI address) {
        String info = address.getRawUserInfo();
        int colon = info == null ? -1 : info.indexOf(':');
        return info == null
                || colon < 0
                || contain(decoded(info.substring(0, colon)), decoded(info.substring(colon + 1)));
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}

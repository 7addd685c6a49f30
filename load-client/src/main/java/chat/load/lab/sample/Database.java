package chat.load.lab.sample;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Holds the address and credentials of a PostgreSQL database.
 *
 * @param url JDBC URL; may contain user and password as parameters
 * @param user empty: the URL's
 * @param password empty: the URL's
 */
record Database(String url, String user, String password) {
    private static final String JDBC = "jdbc:postgresql:";
    private static final Pattern PORT = Pattern.compile("//[^/?]*:(\\d{1,5})(?:[/?]|$)");
    private static final int DEFAULT_PORT = 5432;

    /**
     * @param url {@code jdbc:postgresql://host:port/database?user=…&password=…} or
     *     {@code postgres://user:password@host:port/database}
     * @throws IllegalArgumentException if it is neither; the message contains no secret
     */
    static Database parse(String url) {
        if (url.startsWith(JDBC)) return new Database(url, "", "");
        if (url.startsWith("postgres://") || url.startsWith("postgresql://")) {
            try {
                URI uri = new URI(url);
                String[] who = uri.getUserInfo() == null
                        ? new String[0]
                        : uri.getUserInfo().split(":", 2);
                if (uri.getHost() != null)
                    return new Database(
                            JDBC + "//" + uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort())
                                    + uri.getPath(),
                            who.length > 0 ? who[0] : "",
                            who.length > 1 ? who[1] : "");
            } catch (URISyntaxException notAUrl) {
                // Reported below: its own message would show the password.
            }
        }
        throw new IllegalArgumentException(
                "a database is given as jdbc:postgresql://host:port/database?user=...&password=..."
                        + " or postgres://user:password@host:port/database");
    }

    Database as(String otherUser, String otherPassword) {
        return new Database(
                url, otherUser.isEmpty() ? user : otherUser, otherPassword.isEmpty() ? password : otherPassword);
    }

    int port() {
        Matcher port = PORT.matcher(url);
        return port.find() ? Integer.parseInt(port.group(1)) : DEFAULT_PORT;
    }

    /** Contains no secret. */
    @Override
    public String toString() {
        return url.replaceAll("\\?.*", "");
    }
}

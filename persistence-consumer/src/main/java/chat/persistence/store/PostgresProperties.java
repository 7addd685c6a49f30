package chat.persistence.store;

import chat.kit.identity.KnownPasswords;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.ConstructorBinding;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Addresses of PostgreSQL and sizes of the connection pools.
 *
 * @param url {@code jdbc:postgresql://host[:port]/database} or {@code postgres://user:password@host[:port]/database}
 * @param user empty: the URL's, else {@code confab}
 * @param password empty: the URL's, or none
 * @param readUrl replica for queries; empty: {@code url}
 * @param readUser read-only user for queries; empty: the {@code readUrl}'s, else {@code user}
 * @param readPassword password of that user
 * @param connectTimeout of a new connection, 100 ms to 1 minute
 * @param socketTimeout time without a response after which a connection is closed, 1 s to 10 minutes
 * @param reading connections of queries
 * @param aggregating limits of updating roll-ups and refreshing views
 */
@ConfigurationProperties("chat.postgres")
public record PostgresProperties(
        String url,
        String user,
        String password,
        String readUrl,
        String readUser,
        String readPassword,
        Duration connectTimeout,
        Duration socketTimeout,
        Reading reading,
        Aggregating aggregating) {
    /** A server that does not answer within this time is down. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);

    /** A batch takes far less; after this time without a response the connection is lost. */
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(10);

    /** Refreshing the views of a large database takes minutes. */
    private static final Aggregating AGGREGATING = new Aggregating(Duration.ofMinutes(5));

    private static final String DEFAULT_USER = "confab";

    public PostgresProperties {
        Address unusedMain = Address.parse("CHAT_POSTGRES_URL", url);
        if (!readUrl.isBlank()) {
            Address unusedReplica = Address.parse("CHAT_POSTGRES_READ_URL", readUrl);
        }
        require("connect-timeout", connectTimeout, Duration.ofMillis(100), Duration.ofMinutes(1));
        require("socket-timeout", socketTimeout, Duration.ofSeconds(1), Duration.ofMinutes(10));
    }

    @ConstructorBinding
    public PostgresProperties(
            @DefaultValue("jdbc:postgresql://localhost:5432/confab") String url,
            @DefaultValue("") String user,
            @DefaultValue("") String password,
            @DefaultValue("") String readUrl,
            @DefaultValue("") String readUser,
            @DefaultValue("") String readPassword,
            @DefaultValue Reading reading) {
        this(
                url,
                user,
                password,
                readUrl,
                readUser,
                readPassword,
                CONNECT_TIMEOUT,
                SOCKET_TIMEOUT,
                reading,
                AGGREGATING);
    }

    /**
     * @param size connections, 1 to 100
     * @param queryTimeout timeout of a query, 10 ms to 10 minutes
     */
    public record Reading(
            @DefaultValue("10") int size,
            @DefaultValue("5s") Duration queryTimeout) {
        public Reading {
            if (size < 1 || size > 100)
                throw new IllegalArgumentException("chat.postgres.reading.size must be 1 to 100, not " + size);
            require("reading.query-timeout", queryTimeout, Duration.ofMillis(10), Duration.ofMinutes(10));
        }
    }

    /** @param queryTimeout time after which PostgreSQL ends a statement, 1 s to 1 hour */
    public record Aggregating(Duration queryTimeout) {
        public Aggregating {
            require("aggregating.query-timeout", queryTimeout, Duration.ofSeconds(1), Duration.ofHours(1));
        }
    }

    private static void require(String name, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0)
            throw new IllegalArgumentException(
                    "chat.postgres." + name + " must be " + min + " to " + max + ", not " + value);
    }

    /** Whether the password is a well-known default. Without a password, certificates or files authenticate. */
    public boolean hasKnownPassword() {
        return isKnown(writingAddress()) || isKnown(readingAddress());
    }

    private static boolean isKnown(Address address) {
        return address.password() != null && KnownPasswords.contain(address.user(), address.password());
    }

    Address writingAddress() {
        return address("CHAT_POSTGRES_URL", url);
    }

    Address readingAddress() {
        Address address = readUrl.isBlank() ? writingAddress() : address("CHAT_POSTGRES_READ_URL", readUrl);
        return readUser.isBlank() ? address : new Address(address.jdbcUrl(), readUser, readPassword);
    }

    private Address address(String name, String text) {
        Address parsed = Address.parse(name, text);
        String chosenUser = user.isBlank() ? parsed.user() : user;
        return new Address(
                parsed.jdbcUrl(),
                chosenUser == null ? DEFAULT_USER : chosenUser,
                password.isEmpty() ? parsed.password() : password);
    }

    @Override
    public String toString() {
        return "PostgresProperties[" + writingAddress() + ", reading " + readingAddress() + "]";
    }

    /** Connection parameters for the driver. */
    record Address(
            String jdbcUrl, @Nullable String user, @Nullable String password) {
        private static final String JDBC = "jdbc:postgresql:";

        static Address parse(String name, String text) {
            try {
                if (text.startsWith(JDBC + "//") && text.length() > JDBC.length() + 2) return of(text, null, null);
                URI uri = new URI(text);
                String database = uri.getRawPath();
                boolean postgres = "postgres".equals(uri.getScheme()) || "postgresql".equals(uri.getScheme());
                if (postgres && uri.getHost() != null && database != null && database.length() > 1) {
                    String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
                    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
                    String[] who = uri.getUserInfo() == null
                            ? new String[0]
                            : uri.getUserInfo().split(":", 2);
                    return of(
                            JDBC + "//" + uri.getHost() + port + database + query,
                            who.length > 0 ? who[0] : null,
                            who.length > 1 ? who[1] : null);
                }
            } catch (URISyntaxException | IllegalArgumentException notAnAddress) {
                // Rejected below without this exception: its message would repeat the text, which may hold a password.
            }
            throw new IllegalArgumentException(name + " must be jdbc:postgresql://host[:port]/database or"
                    + " postgres://user:password@host[:port]/database; the current value is neither");
        }

        /** Removes user and password from the parameters: the driver would prefer them to any setting. */
        private static Address of(String jdbcUrl, @Nullable String user, @Nullable String password) {
            String[] parts = jdbcUrl.split("\\?", 2);
            List<String> kept = new ArrayList<>();
            for (String parameter : parts.length < 2 ? new String[0] : parts[1].split("&")) {
                String[] pair = parameter.split("=", 2);
                String value = pair.length < 2 ? "" : pair[1];
                switch (pair[0]) {
                    case "user" -> user = URLDecoder.decode(value, StandardCharsets.UTF_8);
                    case "password" -> password = URLDecoder.decode(value, StandardCharsets.UTF_8);
                    default -> kept.add(parameter);
                }
            }
            return new Address(kept.isEmpty() ? parts[0] : parts[0] + "?" + String.join("&", kept), user, password);
        }

        @Override
        public String toString() {
            return jdbcUrl.replaceFirst("\\?.*", "") + " as " + user;
        }
    }
}

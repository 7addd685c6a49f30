package chat.log.rabbit;

import chat.log.LogReader;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.ConstructorBinding;

/**
 * Settings of the connection to RabbitMQ.
 *
 * @param uri {@code amqp://user:password@host:port/vhost}; cluster: {@code amqp://user:password@host:port,host:port/vhost}
 * @param partitions number of partitions; the same in all programs
 * @param prefix prefix of the exchange ({@code <prefix>.exchange}) and streams ({@code <prefix>.log.<partition>})
 * @param credit limit of unacknowledged entries of a reader, 9 to 1,000. Readers acknowledge eight entries together;
 *     with a lower limit they would wait 20 ms for each group
 * @param connectTimeout timeout of one attempt to connect, at least 100 ms; the timeout of an answer on an open
 *     connection is twice as long
 */
@ConfigurationProperties("chat.rabbitmq")
public record RabbitLogSettings(URI uri, int partitions, String prefix, int credit, Duration connectTimeout) {
    /** Two groups of acknowledged entries; larger values were slower, see docs/measurements/sweeps. */
    private static final int CREDIT = 16;

    /** A node that does not accept within this time is as good as down; the next one is tried. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    public RabbitLogSettings {
        List<URI> unusedNodes = nodes(uri);
        if (partitions < 1 || partitions > 64) throw new IllegalArgumentException("partitions must be 1 to 64");
        if (!prefix.matches("[a-z0-9-]{1,32}"))
            throw new IllegalArgumentException("prefix must be 1 to 32 characters of a-z 0-9 -");
        if (credit <= LogReader.ACKNOWLEDGED_TOGETHER || credit > 1000)
            throw new IllegalArgumentException("credit must be 9 to 1000: readers acknowledge 8 entries together");
        if (connectTimeout.toMillis() < 100)
            throw new IllegalArgumentException("connectTimeout must be at least 100 ms");
    }

    /**
     * Creates the settings from text: Spring's own conversion to a URI would encode {@code p%40ss} again and change
     * the password. The other values are constants in production.
     */
    @ConstructorBinding
    public RabbitLogSettings(String uri, int partitions, String prefix) {
        this(parse(uri), partitions, prefix, CREDIT, CONNECT_TIMEOUT);
    }

    /** The address of each node, at least one, all with the same user, password and virtual host. */
    public List<URI> nodes() {
        return nodes(uri);
    }

    /** Timeout of one answer on an open connection, after which the connection counts as lost. */
    Duration longestAnswer() {
        return connectTimeout.multipliedBy(2);
    }

    private static URI parse(String uri) {
        try {
            return new URI(uri);
        } catch (URISyntaxException repeatsTheSecret) {
            throw noAddress(uri);
        }
    }

    private static List<URI> nodes(URI uri) {
        String authority = uri.getRawAuthority();
        boolean amqp = "amqp".equals(uri.getScheme()) || "amqps".equals(uri.getScheme());
        if (!amqp || authority == null) throw noAddress(uri.toString());
        int hosts = authority.lastIndexOf('@') + 1;
        List<URI> nodes = new ArrayList<>();
        for (String host : authority.substring(hosts).split(",", -1)) {
            String path = Objects.requireNonNullElse(uri.getRawPath(), "");
            String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
            try {
                // Parsed per host: a URI with several hosts has no server authority.
                nodes.add(new URI(uri.getScheme() + "://" + authority.substring(0, hosts) + host + path + query)
                        .parseServerAuthority());
            } catch (URISyntaxException repeatsTheSecret) {
                throw noAddress(uri.toString());
            }
            if (nodes.getLast().getHost() == null) throw noAddress(uri.toString());
        }
        return List.copyOf(nodes);
    }

    private static IllegalArgumentException noAddress(String uri) {
        return new IllegalArgumentException("the RabbitMQ URI must look like amqp://user:password@host:5672/vhost, or"
                + " amqp://user:password@host:5672,host:5672/vhost for the nodes of a cluster, not "
                + withoutSecret(uri));
    }

    String exchange() {
        return prefix + ".exchange";
    }

    String routingKey(int partition) {
        return "room." + partition;
    }

    String stream(int partition) {
        return prefix + ".log." + partition;
    }

    /** Omits the password, which the default of a record would include. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "RabbitLogSettings[uri=%s, partitions=%d, prefix=%s, credit=%d, connectTimeout=%s]",
                withoutSecret(uri),
                partitions,
                prefix,
                credit,
                connectTimeout);
    }

    /** Removes user and password from the URI, for logs. */
    public static String withoutSecret(URI uri) {
        return withoutSecret(uri.toString());
    }

    /** Removes everything up to the last @: an invalid URI may have another @, or a slash, in its password. */
    private static String withoutSecret(String uri) {
        return uri.replaceAll("//.*@", "//");
    }
}

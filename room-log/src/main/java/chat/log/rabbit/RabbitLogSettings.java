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
 * Where the log is and how it is used.
 *
 * @param uri {@code amqp://user:password@host:port/vhost}; of a cluster {@code amqp://user:password@host:port,host:port/vhost}
 * @param partitions of the log; all programs must use the same number
 * @param prefix of the exchange ({@code <prefix>.exchange}) and the streams ({@code <prefix>.log.<partition>})
 * @param credit entries that may be on their way to a reader, 9 to 1,000: readers acknowledge eight together, and with fewer
 *     on their way would wait for more of them 20 ms each time
 * @param connectTimeout of one attempt to connect, 100 ms at least; once connected, an answer is waited for twice as long
 */
@ConfigurationProperties("chat.rabbitmq")
public record RabbitLogSettings(URI uri, int partitions, String prefix, int credit, Duration connectTimeout) {
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
     * From a setting. As text: Spring's own way to a URI would encode what is encoded, and turn {@code p%40ss} into another
     * password.
     */
    @ConstructorBinding
    public RabbitLogSettings(String uri, int partitions, String prefix, int credit, Duration connectTimeout) {
        this(parse(uri), partitions, prefix, credit, connectTimeout);
    }

    /** An address for each node, all with the same user, password and virtual host; one at least. */
    public List<URI> nodes() {
        return nodes(uri);
    }

    /** To one question of a connection that stands; then it is taken for lost. */
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
                // As the server that it has to be: by itself a URI with several hosts has none.
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

    /** As it may be logged: a record's own would tell the password. */
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

    /** The URI as it may be logged. */
    public static String withoutSecret(URI uri) {
        return withoutSecret(uri.toString());
    }

    /** Up to the last @: what could not be parsed may have another one, or a slash, in its password. */
    private static String withoutSecret(String uri) {
        return uri.replaceAll("//.*@", "//");
    }
}

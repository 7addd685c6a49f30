package chat.log.rabbit;

import java.net.URI;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Where the log is and how it is used.
 *
 * @param uri {@code amqp://user:password@host:port/vhost}
 * @param partitions of the log; all programs must use the same number
 * @param prefix of the exchange ({@code <prefix>.exchange}) and the streams ({@code <prefix>.log.<partition>})
 * @param credit entries that may be on their way to a reader, 1 to 1,000
 * @param connectTimeout of one attempt to connect
 */
@ConfigurationProperties("chat.rabbitmq")
public record RabbitLogSettings(URI uri, int partitions, String prefix, int credit, Duration connectTimeout) {
    public RabbitLogSettings {
        String scheme = uri.getScheme();
        boolean amqp = "amqp".equals(scheme) || "amqps".equals(scheme);
        if (!amqp || uri.getHost() == null)
            throw new IllegalArgumentException(
                    "the RabbitMQ URI must look like amqp://user:password@host:5672/vhost, not " + withoutSecret(uri));
        if (partitions < 1 || partitions > 64) throw new IllegalArgumentException("partitions must be 1 to 64");
        if (!prefix.matches("[a-z0-9-]{1,32}"))
            throw new IllegalArgumentException("prefix must be 1 to 32 characters of a-z 0-9 -");
        if (credit < 1 || credit > 1000) throw new IllegalArgumentException("credit must be 1 to 1000");
        if (connectTimeout.toMillis() < 100)
            throw new IllegalArgumentException("connectTimeout must be at least 100 ms");
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

    /** The URI as it may be logged. */
    public static String withoutSecret(URI uri) {
        return uri.toString().replaceAll("//[^@/]*@", "//");
    }
}

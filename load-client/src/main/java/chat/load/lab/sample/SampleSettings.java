package chat.load.lab.sample;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sources to sample besides the load. Searches for sources that are not given, and omits those that it does not find.
 *
 * @param metrics endpoints of programs; empty: they are looked for
 * @param postgresUrl {@code jdbc:postgresql://…} or {@code postgres://…}; null: that of the platform directory
 * @param askRabbitmqctl whether to, which takes CPU from the run
 * @param rabbitmqctl null: that of the platform directory
 * @param platformDirectory of {@code ./run}; null if there is none
 */
public record SampleSettings(
        List<Metrics> metrics,
        @Nullable String postgresUrl,
        boolean askRabbitmqctl,
        @Nullable Path rabbitmqctl,
        @Nullable Path platformDirectory) {
    public SampleSettings {
        metrics = List.copyOf(metrics);
        if (postgresUrl != null) requireDatabase(postgresUrl);
    }

    /** @throws IllegalArgumentException it is no database's address; the message has nothing secret */
    public static String requireDatabase(String url) {
        Database unused = Database.parse(url);
        return url;
    }

    /**
     * An endpoint in Prometheus's text format.
     *
     * @param program begins the names of its series, such as {@code chat-8081} or {@code rabbitmq}; empty: found out by
     *     its port
     */
    public record Metrics(String program, URI url) {}

    /** Without the password that the URL may hold. */
    @Override
    public String toString() {
        return "SampleSettings[metrics=" + metrics + ", rabbitmqctl=" + rabbitmqctl + ", platformDirectory="
                + platformDirectory + "]";
    }
}

package chat.load.lab.sample;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sources to sample besides the load. Searches for sources that are not given, and omits those that it does not find.
 *
 * @param metrics endpoints of programs; empty to search them
 * @param postgresUrl {@code jdbc:postgresql://…} or {@code postgres://…}; null to use the platform directory's
 * @param askRabbitmqctl whether to call rabbitmqctl, which takes CPU from the run
 * @param rabbitmqctl the script; null to use the platform directory's
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

    /** @throws IllegalArgumentException if it is no database URL; the message contains no secret */
    public static String requireDatabase(String url) {
        Database unused = Database.parse(url);
        return url;
    }

    /**
     * An endpoint in Prometheus's text format.
     *
     * @param program begins the names of its series, such as {@code chat-8081} or {@code rabbitmq}; empty: derived from
     *     its port
     */
    public record Metrics(String program, URI url) {}

    /** Omits the password that the URL may contain. */
    @Override
    public String toString() {
        return "SampleSettings[metrics=" + metrics + ", rabbitmqctl=" + rabbitmqctl + ", platformDirectory="
                + platformDirectory + "]";
    }
}

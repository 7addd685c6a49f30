package chat.load;

import chat.load.lab.sample.SampleSettings;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options for sampling. All are optional. */
final class SampleOptions {
    /** The directory in which {@code ./run} keeps its data. */
    private static final Path DEFAULT_DIRECTORY = Path.of(".confab");

    @Option(
            names = "--metrics-url",
            showDefaultValue = Visibility.NEVER,
            paramLabel = "[NAME=]URL",
            converter = MetricsUrls.class,
            description = "A metrics endpoint in the Prometheus format; repeat it for several. NAME begins its "
                    + "series, such as chat-8081, consumer or rabbitmq. Default: searched at the ports of the "
                    + "programs found.")
    private List<SampleSettings.Metrics> metrics = List.of();

    @Option(
            names = "--platform-dir",
            paramLabel = "DIR",
            description = "The data directory of ./run, which contains the addresses of its database and "
                    + "rabbitmqctl. Default: .confab, if it exists.")
    private @Nullable Path platformDirectory;

    @Option(
            names = "--postgres-url",
            paramLabel = "URL",
            converter = PostgresUrls.class,
            description = "The database whose statistics are sampled: jdbc:postgresql://host:port/database?user=...&"
                    + "password=..., or postgres://user:password@host:port/database. Default: that of --platform-dir.")
    private @Nullable String postgresUrl;

    @Option(
            names = "--rabbitmqctl",
            arity = "0..1",
            fallbackValue = "",
            paramLabel = "PATH",
            description = "Query RabbitMQ every 15 s. Each query takes about half a second of CPU from this "
                    + "machine. Without PATH: the script in --platform-dir. Default: no queries.")
    private @Nullable String rabbitmqctl;

    SampleSettings settings() {
        Path directory = platformDirectory;
        if (directory == null && Files.isDirectory(DEFAULT_DIRECTORY)) directory = DEFAULT_DIRECTORY;
        Path script = rabbitmqctl == null || rabbitmqctl.isEmpty() ? null : Path.of(rabbitmqctl);
        return new SampleSettings(metrics, postgresUrl, rabbitmqctl != null, script, directory);
    }

    /** Instantiated by picocli. */
    static final class MetricsUrls implements ITypeConverter<SampleSettings.Metrics> {
        @Override
        public SampleSettings.Metrics convert(String value) {
            int equals = value.indexOf('=');
            boolean named = equals >= 0 && value.lastIndexOf("://", equals) < 0;
            String name = named ? value.substring(0, equals) : "";
            try {
                URI url = URI.create(named ? value.substring(equals + 1) : value);
                String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
                boolean usable = (scheme.equals("http") || scheme.equals("https")) && url.getHost() != null;
                if (usable && name.matches("[A-Za-z0-9_-]*")) return new SampleSettings.Metrics(name, url);
            } catch (IllegalArgumentException notAUrl) {
                // Reported below.
            }
            throw new TypeConversionException("a metrics endpoint is given as [NAME=]http://host:port, not " + value);
        }
    }

    /** Instantiated by picocli. */
    static final class PostgresUrls implements ITypeConverter<String> {
        @Override
        public String convert(String value) {
            try {
                return SampleSettings.requireDatabase(value);
            } catch (IllegalArgumentException wrong) {
                throw new TypeConversionException(String.valueOf(wrong.getMessage()));
            }
        }
    }
}

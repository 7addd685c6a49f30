package chat.load;

import chat.load.driver.ServerUrl;
import chat.load.plan.Placement;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options that mean the same in every scenario. */
final class CommonOptions {
    @Option(
            names = "--url",
            required = true,
            paramLabel = "URL",
            converter = ServerUrls.class,
            description = "A chat server, ws://host:port; repeat it for several.")
    List<ServerUrl> urls = List.of();

    @Option(
            names = "--history-url",
            paramLabel = "URL",
            converter = HistoryUrls.class,
            description =
                    "Where stored messages are read back, http://host:port, or 'none' to leave storage unchecked. "
                            + "Default: asked of the first server itself, then of port 8090 on its host.")
    @Nullable
    URI historyUrl;

    @Option(
            names = "--placement",
            defaultValue = "spread",
            description = "spread deals the members of a room out over the servers, room keeps them on one. "
                    + "Default: ${DEFAULT-VALUE}.")
    Placement placement = Placement.SPREAD;

    @Option(
            names = "--window",
            defaultValue = "1",
            paramLabel = "N",
            description = "How many of its own messages a member may have sent that have not come back and been "
                    + "acknowledged. Default: ${DEFAULT-VALUE}.")
    int window = 1;

    @Option(
            names = "--payload",
            defaultValue = "100",
            paramLabel = "BYTES",
            description = "Length of each text, 1 to 500; its own number may need more. Default: ${DEFAULT-VALUE}.")
    int payload = 100;

    @Option(
            names = "--connect-rate",
            defaultValue = "1000",
            paramLabel = "N",
            description = "Connections opened per second. Default: ${DEFAULT-VALUE}.")
    double connectRate = 1000;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of filler and jitter. Default: the clock.")
    @Nullable
    Long seed;

    @Option(
            names = "--timeout",
            defaultValue = "60",
            paramLabel = "S",
            description = "Seconds without any progress after which the run, or waiting for storage, is given up. "
                    + "Default: ${DEFAULT-VALUE}.")
    int timeoutSeconds = 60;

    @Option(names = "--threads", paramLabel = "N", description = "Event loops. Default: half of the processors.")
    int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    @Option(names = "--out", paramLabel = "DIR", description = "Writes summary.json there, too.")
    @Nullable
    Path out;

    /** Picocli makes it. */
    static final class ServerUrls implements ITypeConverter<ServerUrl> {
        @Override
        public ServerUrl convert(String value) {
            try {
                return ServerUrl.parse(value);
            } catch (IllegalArgumentException wrong) {
                throw new TypeConversionException(String.valueOf(wrong.getMessage()));
            }
        }
    }

    /** Picocli makes it. */
    static final class HistoryUrls implements ITypeConverter<URI> {
        static final URI NONE = URI.create("none");

        @Override
        public URI convert(String value) {
            if (value.equals("none")) return NONE;
            try {
                URI uri = URI.create(value);
                String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
                if ((scheme.equals("http") || scheme.equals("https")) && uri.getHost() != null) return uri;
            } catch (IllegalArgumentException notAUri) {
                // Said below.
            }
            throw new TypeConversionException("history is given as http://host:port or none, not " + value);
        }
    }
}

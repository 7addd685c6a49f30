package chat.bench.platform;

import chat.kit.metrics.PrometheusText;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Reads the metrics of Confab's programs. */
public final class Metrics implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    /** A program serves its metrics at its own port plus this number. */
    private static final int MANAGEMENT_OFFSET = 1_000;

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(LIMIT)
            .build();

    /** Returns all values with these names of the programs that listen on these ports. */
    public List<PrometheusText.Value> read(Collection<Integer> ports, Set<String> names) throws InterruptedException {
        List<PrometheusText.Value> values = new ArrayList<>();
        for (int port : ports) PrometheusText.read(text(port), names::contains, values::add);
        return values;
    }

    private byte[] text(int port) throws InterruptedException {
        URI address = URI.create("http://127.0.0.1:" + (port + MANAGEMENT_OFFSET) + "/actuator/prometheus");
        try {
            HttpResponse<byte[]> response = http.send(
                    HttpRequest.newBuilder(address).timeout(LIMIT).build(), HttpResponse.BodyHandlers.ofByteArray());
            if (response.statusCode() != 200)
                throw new MeasurementFailure(address + " returned status " + response.statusCode());
            return response.body();
        } catch (IOException failure) {
            throw new MeasurementFailure("Cannot read " + address + ": " + failure);
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}

package chat.load.lab.sample;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Scrapes the Prometheus endpoints of programs; {@link KnownMetrics} lists the series. All endpoints are scraped at the
 * same time, so that their counters are comparable: {@code consumer.depth} is the number of messages that chat servers
 * have read back from the log and the consumer has not stored yet.
 */
final class MetricsProbe implements Probe {
    static final String PATH = "/actuator/prometheus";

    static final Duration PATIENCE = Duration.ofMillis(900);
    private static final int MOST_BYTES = 4 << 20;
    /** A missing endpoint is searched in each of this many samples: programs may still be starting. */
    private static final int EAGER_SEARCHES = 10;

    /** Afterwards it is searched in one of this many samples. */
    private static final int SEARCH_PAUSE = 10;

    /**
     * One program.
     *
     * @param program begins the names of its series
     * @param candidates where its endpoint may be; the first that answers is it
     */
    record Endpoint(String program, List<URI> candidates) {
        Endpoint {
            candidates = List.copyOf(candidates);
            if (candidates.isEmpty()) throw new IllegalArgumentException("an endpoint has at least one candidate");
        }
    }

    /** An endpoint and what is known about it by now. */
    private static final class Asked {
        final Endpoint endpoint;

        @Nullable
        URI found;

        int searches;
        int pause;

        Asked(Endpoint endpoint) {
            this.endpoint = endpoint;
        }

        URI next() {
            List<URI> candidates = endpoint.candidates();
            return found != null ? found : candidates.get(searches++ % candidates.size());
        }

        boolean rests() {
            if (found != null || searches < EAGER_SEARCHES) return false;
            pause = (pause + 1) % SEARCH_PAUSE;
            return pause != 0;
        }
    }

    private final HttpClient http;
    private final Duration patience;
    private final List<Asked> asked;
    private final Backlog backlog;

    /** @param patience for all answers of a second together */
    MetricsProbe(List<Endpoint> endpoints, Duration patience) {
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(patience)
                .build();
        this.patience = patience;
        this.asked = endpoints.stream().map(Asked::new).toList();
        this.backlog = new Backlog();
    }

    @Override
    public String name() {
        return "metrics";
    }

    @Override
    public void sample(Sink sink) throws InterruptedException {
        Map<Asked, URI> uris = new LinkedHashMap<>();
        Map<Asked, CompletableFuture<HttpResponse<byte[]>>> answers = new HashMap<>();
        for (Asked program : asked) {
            if (program.rests()) continue;
            URI uri = program.next();
            uris.put(program, uri);
            HttpRequest request =
                    HttpRequest.newBuilder(uri).header("Accept", "text/plain").build();
            answers.put(
                    program, http.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), MOST_BYTES)));
        }
        long deadline = System.nanoTime() + patience.toNanos();
        List<Scrape> scrapes = new ArrayList<>();
        for (Map.Entry<Asked, URI> program : uris.entrySet()) {
            CompletableFuture<HttpResponse<byte[]>> answer = Objects.requireNonNull(answers.get(program.getKey()));
            Scrape scrape = read(program.getKey(), program.getValue(), answer, deadline, sink);
            if (scrape == null) continue;
            scrape.write(program.getKey().endpoint.program(), sink);
            scrapes.add(scrape);
        }
        if (scrapes.size() == asked.size()) backlog.write(scrapes, sink);
    }

    private @Nullable Scrape read(
            Asked program, URI uri, CompletableFuture<HttpResponse<byte[]>> answer, long deadline, Sink sink)
            throws InterruptedException {
        String name = program.endpoint.program();
        try {
            HttpResponse<byte[]> response = answer.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (response.statusCode() != 200) throw new IOException("answers " + response.statusCode());
            Scrape scrape = Scrape.of(response.body());
            if (scrape.isForeign()) throw new IOException("has no metric that is known");
            program.found = uri;
            return scrape;
        } catch (TimeoutException late) {
            answer.cancel(true);
            sink.note(String.format(
                    Locale.ROOT,
                    "metrics of %s: %s did not always answer within %d ms; those seconds are missing",
                    name,
                    uri,
                    patience.toMillis()));
        } catch (ExecutionException | IOException failure) {
            Throwable cause = failure instanceof ExecutionException ? failure.getCause() : failure;
            if (program.found != null)
                sink.note("metrics of %s: %s could not always be read (%s)".formatted(name, uri, words(cause)));
            else if (program.searches == program.endpoint.candidates().size())
                sink.note("metrics of %s: not found at %s; --metrics-url %s=URL says where they are"
                        .formatted(name, list(program.endpoint.candidates()), name));
        }
        return null;
    }

    private static String words(@Nullable Throwable cause) {
        if (cause == null) return "unknown";
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }

    private static String list(List<URI> candidates) {
        return String.join(", ", candidates.stream().map(URI::toString).toList());
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}

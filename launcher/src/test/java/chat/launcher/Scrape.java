package chat.launcher;

import chat.kit.metrics.PrometheusText;
import chat.kit.metrics.PrometheusText.Value;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Holds the metrics of one or more programs.
 *
 * @param samples samples of all programs, in order
 */
record Scrape(List<Value> samples) {
    static Scrape of(HttpClient http, URI... addresses) throws IOException, InterruptedException {
        List<Value> samples = new ArrayList<>();
        for (URI address : addresses) {
            HttpRequest request = HttpRequest.newBuilder(address)
                    .timeout(Duration.ofSeconds(10))
                    .build();
            byte[] text =
                    http.send(request, HttpResponse.BodyHandlers.ofByteArray()).body();
            PrometheusText.read(text, name -> true, samples::add);
        }
        return new Scrape(List.copyOf(samples));
    }

    Set<String> names() {
        return samples.stream().map(Value::name).collect(Collectors.toSet());
    }

    /** Sums a metric over all programs and labels. Counters are whole numbers. */
    long sum(String metric) {
        return sum(metric, metric, value -> true);
    }

    /** Sums the samples whose label has this value. */
    long sum(String metric, String label, String of) {
        return sum(
                metric + "{" + label + "=" + of + "}",
                metric,
                value -> of.equals(value.labels().get(label)));
    }

    private long sum(String told, String metric, Predicate<Value> wanted) {
        List<Value> found = samples.stream()
                .filter(value -> value.name().equals(metric) && wanted.test(value))
                .toList();
        if (found.isEmpty()) throw new AssertionError("nobody has " + told);
        return Math.round(found.stream().mapToDouble(Value::value).sum());
    }
}

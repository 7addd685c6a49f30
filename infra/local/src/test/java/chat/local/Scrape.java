package chat.local;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What one or more programs told of their metrics.
 *
 * @param samples of all of them, in their order
 */
record Scrape(List<Sample> samples) {
    private static final Pattern SAMPLE = Pattern.compile("(?m)^([a-zA-Z_:][\\w:]*)(\\{.*})? (\\S+)");

    record Sample(String metric, String labels, double value) {}

    static Scrape of(HttpClient http, URI... addresses) throws IOException, InterruptedException {
        List<Sample> samples = new ArrayList<>();
        for (URI address : addresses) {
            HttpRequest request = HttpRequest.newBuilder(address)
                    .timeout(Duration.ofSeconds(10))
                    .build();
            Matcher found = SAMPLE.matcher(
                    http.send(request, HttpResponse.BodyHandlers.ofString()).body());
            while (found.find()) {
                String labels = found.group(2) == null ? "" : found.group(2);
                samples.add(new Sample(found.group(1), labels, number(found.group(3))));
            }
        }
        return new Scrape(List.copyOf(samples));
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    Set<String> names() {
        return samples.stream().map(Sample::metric).collect(Collectors.toSet());
    }

    /** Over all programs and labels. Counters are whole numbers. */
    long sum(String metric) {
        return sum(metric, "");
    }

    /** @param label as it stands in the text: {@code outcome="taken"} */
    long sum(String metric, String label) {
        List<Sample> found = samples.stream()
                .filter(sample ->
                        sample.metric().equals(metric) && sample.labels().contains(label))
                .toList();
        if (found.isEmpty()) throw new AssertionError("nobody has " + metric + "{" + label + "}");
        return Math.round(found.stream().mapToDouble(Sample::value).sum());
    }
}

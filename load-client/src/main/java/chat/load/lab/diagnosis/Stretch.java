package chat.load.lab.diagnosis;

import chat.load.report.Samples;
import java.util.Arrays;
import java.util.List;

/** The samples of one span. Seconds without a value are left out; a series without any value is NaN everywhere. */
final class Stretch {
    private final Samples samples;
    private final Span span;

    Stretch(Samples samples, Span span) {
        this.samples = samples;
        this.span = span;
    }

    int seconds() {
        return span.to() - span.from();
    }

    private double[] all(String name) {
        double[] values = samples.values(name);
        int to = Math.min(span.to(), values.length);
        return Arrays.copyOfRange(values, Math.min(span.from(), to), to);
    }

    double[] values(String name) {
        return Arrays.stream(all(name)).filter(Double::isFinite).toArray();
    }

    boolean has(String name) {
        return values(name).length > 0;
    }

    double mean(String name) {
        return Numbers.mean(values(name));
    }

    /** 0 where there is none. */
    double meanOrNone(String name) {
        double mean = mean(name);
        return Double.isNaN(mean) ? 0 : mean;
    }

    double median(String name) {
        return Numbers.median(values(name));
    }

    double max(String name) {
        return Arrays.stream(values(name)).max().orElse(Double.NaN);
    }

    double min(String name) {
        return Arrays.stream(values(name)).min().orElse(Double.NaN);
    }

    /** Returns the sum of a rate; seconds without a value count as the average. */
    double total(String name) {
        return meanOrNone(name) * seconds();
    }

    Line line(String name) {
        return Line.through(all(name));
    }

    /** Returns the owners of a metric in the order of their first sample. */
    List<String> sources(String metric) {
        String end = "." + metric;
        return samples.names().stream()
                .filter(name -> name.endsWith(end) && has(name))
                .map(name -> name.substring(0, name.length() - end.length()))
                .toList();
    }
}

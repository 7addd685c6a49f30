package chat.bench.pairs;

import chat.bench.result.Medians;
import java.util.List;
import java.util.Locale;

/**
 * Holds the result of one run on one platform.
 *
 * @param rate accepted messages per second
 * @param serverMicros CPU time of the chat servers per message, in µs
 * @param rabbitMicros CPU time of RabbitMQ per message, in µs
 */
record PairRun(double rate, double serverMicros, double rabbitMicros) {
    private double micros() {
        return serverMicros + rabbitMicros;
    }

    /**
     * Returns the line of the run.
     *
     * @param counters per message; empty if they were not counted
     * @param log the entries of the run
     * @param messages number of messages in the run, joining and warm-up included
     */
    String line(String platform, List<String> counters, LogTimes log, long messages) {
        return String.format(
                Locale.ROOT,
                "%s: %.0f messages/s, per message servers %.1f and RabbitMQ %.1f µs%s;"
                        + " %.0f entries/s, confirmed within %s (p50) and %s ms (p99)",
                platform,
                rate,
                serverMicros,
                rabbitMicros,
                counters.isEmpty() ? "" : ", " + String.join(", ", counters),
                log.published() * rate / messages,
                log.confirmMillis(0.5),
                log.confirmMillis(0.99));
    }

    /** Returns the lines after the last pair. */
    static List<String> medians(List<PairRun> a, List<PairRun> b) {
        return List.of(
                "A: median " + Medians.text(median(a)) + " messages/s",
                "B: median " + Medians.text(median(b)) + " messages/s",
                "B to A, medians of the pairs: messages/s "
                        + Medians.text(Medians.of(Medians.ratios(rates(b), rates(a)))) + ", CPU of a message "
                        + Medians.text(Medians.of(Medians.ratios(
                                b.stream().map(PairRun::micros).toList(),
                                a.stream().map(PairRun::micros).toList()))));
    }

    private static double median(List<PairRun> runs) {
        return Medians.of(rates(runs));
    }

    private static List<Double> rates(List<PairRun> runs) {
        return runs.stream().map(PairRun::rate).toList();
    }
}

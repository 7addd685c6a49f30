package chat.load.lab.sample;

import java.util.Collections;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * Calculates how many messages chat servers have read back from the log and the consumer has not stored yet, from the
 * difference of their counters. Programs that started together have counted the same messages from the first one on.
 * For other programs, counting begins with the first sample, provided that everything is stored by then. The series
 * ends when a program restarts.
 */
final class Backlog {
    private static final String SERIES = ProcessFinder.CONSUMER + ".depth";

    /** Maximum time between the starts of programs that count as started together. */
    private static final long TOGETHER_MILLIS = 60_000;

    private List<Long> lives = List.of();
    private double beginning = Double.NaN;
    private boolean ended;

    /** @param scrapes of all programs, taken at nearly the same time */
    void write(List<Scrape> scrapes, Sink sink) {
        if (ended) return;
        double accepted = total(scrapes.stream().mapToDouble(scrape -> scrape.sum(List.of(KnownMetrics.ACCEPTED))));
        double settled = total(scrapes.stream().mapToDouble(scrape -> scrape.sum(KnownMetrics.SETTLED)));
        if (Double.isNaN(accepted) || Double.isNaN(settled)) return;
        List<Long> livesNow = scrapes.stream().map(Scrape::life).toList();
        if (Double.isNaN(beginning)) {
            lives = livesNow;
            double lag = total(scrapes.stream().mapToDouble(scrape -> scrape.sum(List.of(KnownMetrics.LAG))));
            boolean together = Collections.max(lives) - Collections.min(lives) <= TOGETHER_MILLIS;
            beginning = together && accepted >= settled ? 0 : accepted - settled;
            ended = beginning != 0 && lag > 0;
        }
        ended |= !lives.equals(livesNow);
        if (!ended) sink.gauge(SERIES, Math.max(0, accepted - settled - beginning));
    }

    /** NaN if no source has a value. */
    private static double total(DoubleStream parts) {
        double[] known = parts.filter(part -> !Double.isNaN(part)).toArray();
        return known.length == 0 ? Double.NaN : DoubleStream.of(known).sum();
    }
}

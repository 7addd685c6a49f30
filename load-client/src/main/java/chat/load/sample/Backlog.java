package chat.load.sample;

import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;

/**
 * Messages that chat servers have read back from the log and the consumer has not stored yet: what the programs' counters
 * must balance to. Counted from the first look on, which has to find everything stored. Counters that begin anew end it.
 */
final class Backlog {
    private static final String SERIES = ProcessFinder.CONSUMER + ".depth";

    private long lives;
    private double beginning = Double.NaN;
    private boolean ended;

    /** @param scrapes of all programs, taken at nearly the same time */
    void write(List<Scrape> scrapes, Sink sink) {
        if (ended) return;
        double accepted = total(scrapes.stream().mapToDouble(scrape -> scrape.sum(List.of(KnownMetrics.ACCEPTED))));
        double settled = total(scrapes.stream().mapToDouble(scrape -> scrape.sum(KnownMetrics.SETTLED)));
        if (Double.isNaN(accepted) || Double.isNaN(settled)) return;
        long livesNow = LongStream.concat(
                        LongStream.of(scrapes.size()), scrapes.stream().mapToLong(Scrape::life))
                .reduce(0, (hash, life) -> 31 * hash + life);
        if (Double.isNaN(beginning)) {
            double lag = total(scrapes.stream().mapToDouble(scrape -> scrape.sum(List.of(KnownMetrics.LAG))));
            ended = lag > 0;
            beginning = accepted - settled;
            lives = livesNow;
        }
        ended |= lives != livesNow;
        if (!ended) sink.gauge(SERIES, Math.max(0, accepted - settled - beginning));
    }

    /** NaN if nobody has any. */
    private static double total(DoubleStream parts) {
        double[] known = parts.filter(part -> !Double.isNaN(part)).toArray();
        return known.length == 0 ? Double.NaN : DoubleStream.of(known).sum();
    }
}

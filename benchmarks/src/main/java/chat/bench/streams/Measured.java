package chat.bench.streams;

import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Holds the results of one measurement.
 *
 * @param broker name of the broker's settings
 * @param published confirmed entries per second
 * @param read entries per second and reader
 * @param complete whether every reader received every entry
 * @param p50Millis latency from the intended publish time to the read; p99 likewise
 * @param brokerMicros CPU time of the broker per published entry
 * @param readerMicros CPU time of the reading process per entry, all its readers together
 */
record Measured(
        String broker,
        String way,
        Load load,
        double published,
        double read,
        boolean complete,
        double p50Millis,
        double p99Millis,
        double brokerMicros,
        double readerMicros) {

    /** Returns the median of each figure; complete only if all measurements were. */
    static Measured median(List<Measured> repeats) {
        Measured first = repeats.getFirst();
        return new Measured(
                first.broker,
                first.way,
                first.load,
                median(repeats, Measured::published),
                median(repeats, Measured::read),
                repeats.stream().allMatch(Measured::complete),
                median(repeats, Measured::p50Millis),
                median(repeats, Measured::p99Millis),
                median(repeats, Measured::brokerMicros),
                median(repeats, Measured::readerMicros));
    }

    private static double median(List<Measured> repeats, ToDoubleFunction<Measured> figure) {
        List<Double> sorted = repeats.stream()
                .map(figure::applyAsDouble)
                .sorted(Comparator.naturalOrder())
                .toList();
        return sorted.get(sorted.size() / 2);
    }
}

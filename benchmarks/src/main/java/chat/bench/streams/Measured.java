package chat.bench.streams;

import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One measurement.
 *
 * @param broker the name of its settings
 * @param published entries per second that were confirmed
 * @param read entries per second and reader
 * @param complete whether every reader got every entry
 * @param p50Millis from when an entry was meant to be published to when it was read; p99 likewise
 * @param brokerMicros CPU of the broker for one entry published
 * @param readerMicros CPU of the process that reads for one entry, all its readers together
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

    /** The median of each figure; complete only if all were. */
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

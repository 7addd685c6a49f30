package chat.load.lab.query;

import chat.load.report.Percentiles;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** Collects the results of one query. Thread-safe. */
final class Tally {
    private static final int DIGITS = 3;

    private final Histogram micros = new Histogram(DIGITS);
    private final Map<String, Long> statuses = new TreeMap<>();
    private long answers;
    private long rows;
    private long bytes;
    private long retries;

    /** Counts each HTTP answer, repeated requests included. */
    synchronized void status(String status) {
        statuses.merge(status, 1L, Long::sum);
    }

    synchronized void retry() {
        retries++;
    }

    synchronized void answered(long nanos, int rowsOfAnswer, int bytesOfAnswer) {
        micros.recordValue(Math.max(0, nanos / 1000));
        answers++;
        rows += rowsOfAnswer;
        bytes += bytesOfAnswer;
    }

    synchronized Percentiles percentiles() {
        return Percentiles.of(micros);
    }

    synchronized Map<String, Long> statuses() {
        return new TreeMap<>(statuses);
    }

    synchronized long answers() {
        return answers;
    }

    synchronized double rowsPerAnswer() {
        return answers == 0 ? 0 : Math.round(10.0 * rows / answers) / 10.0;
    }

    synchronized long bytes() {
        return bytes;
    }

    synchronized long retries() {
        return retries;
    }
}

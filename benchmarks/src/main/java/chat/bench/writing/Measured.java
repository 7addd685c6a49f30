package chat.bench.writing;

import java.util.Locale;

/**
 * Holds the results of a measurement.
 *
 * @param way way of a {@link Case}, or the activity of the whole consumer
 * @param rowsPerSecond committed rows per second
 * @param batchMillis mean time of one batch of one writer; 0 if it was not measured
 */
record Measured(
        String way, int writers, int batch, String without, long rows, double rowsPerSecond, double batchMillis) {
    static final String HEADER = "way,writers,batch,without,rows_before,rows_per_second,batch_ms";

    static Measured of(Case what, long inserted, double seconds) {
        double batches = (double) inserted / what.batch();
        return new Measured(
                what.way().toString(),
                what.writers(),
                what.batch(),
                what.without(),
                what.rows(),
                inserted / seconds,
                seconds * what.writers() / batches * 1_000);
    }

    String csv() {
        return String.format(
                Locale.ROOT,
                "%s,%d,%d,%s,%d,%.0f,%.2f",
                way,
                writers,
                batch,
                without,
                rows,
                rowsPerSecond,
                batchMillis);
    }

    String tableRow() {
        return String.format(
                Locale.ROOT,
                "| %s | %d | %,d | %s | %,d | %,.0f | %.1f |",
                way,
                writers,
                batch,
                without,
                rows,
                rowsPerSecond,
                batchMillis);
    }
}

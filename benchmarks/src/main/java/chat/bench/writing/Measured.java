package chat.bench.writing;

import java.util.Locale;

/**
 * Holds the results of a measurement.
 *
 * @param way way of a {@link Case}, or the activity of the whole consumer
 * @param rowsPerSecond committed rows per second
 * @param batchMillis mean time of one batch of one writer; 0 if it was not measured
 * @param cost cost of a row
 */
record Measured(
        String way,
        int writers,
        int batch,
        String without,
        long rows,
        double rowsPerSecond,
        double batchMillis,
        Cost cost) {
    static final String HEADER = "way,writers,batch,without,rows_before,rows_per_second,batch_ms," + Cost.HEADER;

    static final String TABLE_HEADER = "| way | writers | batch | without | rows before | rows/s | ms per batch | "
            + Cost.TABLE_HEADER + " |\n|" + "---|".repeat(12);

    static Measured of(Case what, long inserted, double seconds, Cost cost) {
        double batches = (double) inserted / what.batch();
        return new Measured(
                what.way().toString(),
                what.writers(),
                what.batch(),
                what.without(),
                what.rows(),
                inserted / seconds,
                seconds * what.writers() / batches * 1_000,
                cost);
    }

    String csv() {
        return String.format(
                Locale.ROOT,
                "%s,%d,%d,%s,%d,%.0f,%.2f,%s",
                way,
                writers,
                batch,
                without,
                rows,
                rowsPerSecond,
                batchMillis,
                cost.csv());
    }

    String tableRow() {
        return String.format(
                Locale.ROOT,
                "| %s | %d | %,d | %s | %,d | %,.0f | %.1f | %s |",
                way,
                writers,
                batch,
                without,
                rows,
                rowsPerSecond,
                batchMillis,
                cost.tableCells());
    }
}

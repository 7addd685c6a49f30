package chat.bench.writing;

import java.util.Locale;

/**
 * Holds what a row cost.
 *
 * @param postgresMicros CPU time of PostgreSQL, microseconds
 * @param clientMicros CPU time of this JVM, microseconds
 * @param walBytes bytes of WAL
 * @param ioBytes bytes that PostgreSQL wrote, WAL and full pages included
 * @param ioPerSecond writes, extensions of files and fsyncs per second, of all rows together
 */
record Cost(double postgresMicros, double clientMicros, double walBytes, double ioBytes, double ioPerSecond) {
    static final String HEADER =
            "postgres_cpu_us_per_row,client_cpu_us_per_row,wal_bytes_per_row,io_bytes_per_row,io_per_second";
    static final String TABLE_HEADER = "PostgreSQL µs/row | client µs/row | WAL bytes/row | I/O bytes/row | I/O/s";

    String csv() {
        return String.format(
                Locale.ROOT, "%.2f,%.2f,%.0f,%.0f,%.0f", postgresMicros, clientMicros, walBytes, ioBytes, ioPerSecond);
    }

    String tableCells() {
        return String.format(
                Locale.ROOT,
                "%.1f | %.1f | %,.0f | %,.0f | %,.0f",
                postgresMicros,
                clientMicros,
                walBytes,
                ioBytes,
                ioPerSecond);
    }
}

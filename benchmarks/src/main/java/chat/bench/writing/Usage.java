package chat.bench.writing;

import chat.bench.process.Cpu;
import java.sql.SQLException;
import java.util.List;

/**
 * Holds what PostgreSQL and this JVM have used since their start. PostgreSQL's own counters are up to a second late.
 *
 * @param nanos of {@link System#nanoTime}
 * @param postgresNanos CPU time of PostgreSQL
 * @param clientNanos CPU time of this JVM
 * @param walBytes bytes of WAL
 * @param ioBytes bytes written to WAL and tables, full pages included
 * @param ioOperations writes, extensions of files and fsyncs
 */
record Usage(long nanos, long postgresNanos, long clientNanos, long walBytes, long ioBytes, long ioOperations) {
    private static final String COUNTERS = """
            SELECT wal_bytes::bigint FROM pg_stat_wal
            UNION ALL SELECT sum(coalesce(write_bytes, 0) + coalesce(extend_bytes, 0))::bigint FROM pg_stat_io
            UNION ALL SELECT sum(coalesce(writes, 0) + coalesce(extends, 0) + coalesce(fsyncs, 0))::bigint FROM pg_stat_io""";

    static Usage now(Table table) throws SQLException {
        List<Long> counters =
                table.column(COUNTERS).stream().map(Long::parseLong).toList();
        return new Usage(
                System.nanoTime(),
                table.cpuNanos(),
                Cpu.nanos(ProcessHandle.current().pid()),
                counters.get(0),
                counters.get(1),
                counters.get(2));
    }

    /** @param rows rows stored since then */
    Cost since(Usage before, long rows) {
        double per = Math.max(1.0, (double) rows);
        return new Cost(
                (postgresNanos - before.postgresNanos) / 1e3 / per,
                (clientNanos - before.clientNanos) / 1e3 / per,
                (walBytes - before.walBytes) / per,
                (ioBytes - before.ioBytes) / per,
                (ioOperations - before.ioOperations) / ((nanos - before.nanos) / 1e9));
    }
}

package chat.bench.writing;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Inserts rows on several connections as fast as possible. */
final class Writers {
    private final Table table;

    Writers(Table table) {
        this.table = table;
    }

    /** Measures a case for the given time, after a third of it for warm-up. */
    Measured measure(Case what, double seconds) throws SQLException, InterruptedException {
        AtomicLong inserted = new AtomicLong();
        long begin = System.nanoTime();
        long end = begin + (long) (seconds * 4 / 3 * 1e9);
        try (ExecutorService threads = Executors.newFixedThreadPool(what.writers())) {
            List<Future<?>> writers = new ArrayList<>();
            for (int i = 0; i < what.writers(); i++) {
                int writer = i;
                writers.add(threads.submit(() -> {
                    write(what, writer, end, inserted);
                    return null;
                }));
            }
            TimeUnit.NANOSECONDS.sleep((end - begin) / 4);
            Usage begun = Usage.now(table);
            long from = System.nanoTime();
            long before = inserted.get();
            TimeUnit.NANOSECONDS.sleep(end - from);
            long after = inserted.get();
            double took = (System.nanoTime() - from) / 1e9;
            Cost cost = Usage.now(table).since(begun, after - before);
            for (Future<?> writer : writers) writer.get();
            return Measured.of(what, after - before, took, cost);
        } catch (ExecutionException failed) {
            throw new SQLException(failed.getCause());
        }
    }

    private void write(Case what, int writer, long end, AtomicLong inserted) throws SQLException {
        Messages messages = new Messages(writer);
        try (Connection connection = table.connect(what.way())) {
            if (what.without().equals("wait")) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("SET synchronous_commit = off");
                }
                connection.commit();
            }
            what.way().begin(connection);
            while (System.nanoTime() < end) {
                what.way().insert(connection, messages.next(what.batch()));
                inserted.addAndGet(what.batch());
            }
        }
    }
}

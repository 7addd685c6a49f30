package chat.log;

import java.util.concurrent.ScheduledExecutorService;

/** A reader that does not write, like the consumer. */
final class TestReader implements AutoCloseable {
    final Observed observed = new Observed();
    final LogCounters counters = new LogCounters();
    private final ScheduledExecutorService loop = PartitionLoop.named("reader");
    private final LogReader reader;

    TestReader(RoomLog log, int partition, LogReader.Begin begin, LogSettings settings) {
        reader = new LogReader(log, partition, begin, settings, loop, 0, counters, observed);
        reader.start();
    }

    @Override
    public void close() {
        reader.close();
        loop.shutdown();
    }
}

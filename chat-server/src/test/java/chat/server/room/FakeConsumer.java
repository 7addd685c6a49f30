package chat.server.room;

import chat.log.EntryHeader;
import chat.log.EntryKind;
import chat.log.LogCounters;
import chat.log.LogEntry;
import chat.log.LogReader;
import chat.log.LogSettings;
import chat.log.NotStored;
import chat.log.PartitionLoop;
import chat.log.RoomLog;
import chat.log.StoredThrough;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import org.awaitility.Awaitility;

/** A consumer that stores nothing, and says so of whatever the test wants: in one partition. */
public final class FakeConsumer implements AutoCloseable {
    private final RoomLog log;
    private final int partition;
    private final ScheduledExecutorService loop;
    private final LogReader reader;
    private volatile long origin;
    private long sequence;

    public FakeConsumer(RoomLog log, int partition) {
        this.log = log;
        this.partition = partition;
        this.loop = PartitionLoop.named("consumer-" + partition);
        this.reader = new LogReader(
                log,
                partition,
                new LogReader.Begin.Beginning(),
                LogSettings.DEFAULT,
                loop,
                0,
                new LogCounters(),
                this::read);
        reader.start();
    }

    private void read(LogEntry entry) {
        origin = entry.origin();
    }

    /** Says in the log that everything up to this position is stored, but for some. */
    public void stored(long position, NotStored... notStored) {
        Awaitility.await().until(() -> origin != 0);
        EntryHeader header = new EntryHeader(EntryKind.STORED, origin, 0, 77, ++sequence, "consumer");
        log.append(partition, new StoredThrough(position, List.of(notStored)).encode(header))
                .toCompletableFuture()
                .join();
    }

    @Override
    public void close() {
        reader.close();
        loop.shutdown();
    }
}

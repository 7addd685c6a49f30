package chat.server.room;

import chat.log.EntryHeader;
import chat.log.EntryKind;
import chat.log.LogCounters;
import chat.log.LogEntry;
import chat.log.LogListener;
import chat.log.LogReader;
import chat.log.LogSettings;
import chat.log.NotStored;
import chat.log.PartitionLoop;
import chat.log.RoomLog;
import chat.log.StoredThrough;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;

/** A consumer of one partition that stores nothing and reports the positions that a test wants. */
public final class FakeConsumer implements AutoCloseable {
    /** Another one for each: what an earlier one has said is read, too. */
    private final long run = ThreadLocalRandom.current().nextLong();

    private final RoomLog log;
    private final int partition;
    private final ScheduledExecutorService loop;
    private final LogReader reader;
    private final Queue<Boolean> answers = new ConcurrentLinkedQueue<>();
    private volatile long epoch;
    private final AtomicLong sequence = new AtomicLong();

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
                new LogListener() {
                    @Override
                    public void entry(LogEntry entry) {
                        epoch = entry.epoch();
                        answered(entry.header(), true);
                    }

                    @Override
                    public void stale(EntryHeader header) {
                        answered(header, false);
                    }
                });
        reader.start();
    }

    private void answered(EntryHeader header, boolean taken) {
        if (header.incarnation() != run || header.sequence() != sequence.get()) return;
        answers.add(taken);
    }

    /** Says in the log that everything up to this position is stored, but for some. */
    public void stored(long position, NotStored... notStored) {
        Awaitility.await().until(() -> epoch != 0);
        do {
            EntryHeader header =
                    new EntryHeader(EntryKind.STORED, epoch, 0, run, sequence.incrementAndGet(), "consumer");
            log.append(partition, new StoredThrough(position, List.of(notStored)).encode(header))
                    .toCompletableFuture()
                    .join();
            Awaitility.await().until(() -> !answers.isEmpty());
        } while (!answers.remove()); // it had not read the epoch in force yet
    }

    @Override
    public void close() {
        reader.close();
        loop.shutdown();
    }
}

package chat.persistence;

import chat.log.EntryHeader;
import chat.log.LogCounters;
import chat.log.LogEntry;
import chat.log.LogListener;
import chat.log.LogReader;
import chat.log.LogSettings;
import chat.log.NotStored;
import chat.log.PartitionLoop;
import chat.log.RoomLog;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;

/** Reads one partition's notifications, as a chat server does, and counts the rows stored when it reads each. */
public final class StoredNotifications implements LogListener, AutoCloseable {
    private final ScheduledExecutorService loop = PartitionLoop.named("notifications");
    private final LogReader reader;
    private final List<StoredNotification> all = new CopyOnWriteArrayList<>();
    private final List<EntryHeader> stale = new CopyOnWriteArrayList<>();

    /** @param rows that the database held when it was read */
    public record StoredNotification(long position, List<NotStored> notStored, long run, long rows, long readNanos) {}

    public StoredNotifications(RoomLog log, int partition) {
        reader = new LogReader(
                log, partition, new LogReader.Begin.Beginning(), LogSettings.DEFAULT, loop, 0, new LogCounters(), this);
        reader.start();
    }

    @Override
    public void entry(LogEntry entry) {
        if (entry.stored() == null) return;
        long position = entry.stored().position();
        long rows = Database.number("SELECT count(*) FROM messages WHERE position <= " + position);
        all.add(new StoredNotification(
                position, entry.stored().notStored(), entry.header().incarnation(), rows, System.nanoTime()));
    }

    @Override
    public void stale(EntryHeader header) {
        stale.add(header);
    }

    public List<StoredNotification> all() {
        return List.copyOf(all);
    }

    public List<EntryHeader> stale() {
        return List.copyOf(stale);
    }

    /** The highest position of a notification; -1 if there is none. */
    public long position() {
        return all.stream().mapToLong(StoredNotification::position).max().orElse(-1);
    }

    @Override
    public void close() {
        reader.close();
        loop.shutdown();
    }
}

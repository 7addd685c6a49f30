package chat.server.admission;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/**
 * The share of the heap that a collection has left in use: what is used before one says nothing, since garbage is in it.
 * Where there was no collection for a while, nobody wants memory, and the share counts as 0: else a server that was full
 * once, and has nothing to do since, would stay closed until the next one. Thread-safe.
 */
final class HeapAfterGc implements AutoCloseable {
    private static final long STALE_NANOS = Duration.ofSeconds(30).toNanos();

    private final LongSupplier nanoClock;
    private final long maxBytes;
    private final Set<String> pools;
    private final NotificationListener listener = (notification, unused) -> told(notification);
    private final List<NotificationEmitter> collectors = new ArrayList<>();
    private volatile Seen seen;

    private record Seen(double share, long nanos) {}

    /** @param maxBytes that the heap may have */
    HeapAfterGc(LongSupplier nanoClock, long maxBytes) {
        this.nanoClock = nanoClock;
        this.maxBytes = maxBytes;
        this.seen = new Seen(0, nanoClock.getAsLong());
        this.pools = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getName)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Listens to this JVM's collectors. */
    HeapAfterGc listen() {
        for (Object collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (!(collector instanceof NotificationEmitter emitter)) continue;
            emitter.addNotificationListener(listener, null, null);
            collectors.add(emitter);
        }
        return this;
    }

    private void told(Notification notification) {
        if (!notification.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) return;
        Map<String, MemoryUsage> after = GarbageCollectionNotificationInfo.from(
                        (CompositeData) notification.getUserData())
                .getGcInfo()
                .getMemoryUsageAfterGc();
        long used = 0;
        for (Map.Entry<String, MemoryUsage> pool : after.entrySet())
            if (pools.contains(pool.getKey())) used += pool.getValue().getUsed();
        collected(used);
    }

    void collected(long usedBytes) {
        seen = new Seen((double) usedBytes / maxBytes, nanoClock.getAsLong());
    }

    double share() {
        Seen last = seen;
        return nanoClock.getAsLong() - last.nanos() > STALE_NANOS ? 0 : last.share();
    }

    @Override
    public void close() {
        for (NotificationEmitter collector : collectors) {
            try {
                collector.removeNotificationListener(listener);
            } catch (ListenerNotFoundException goneAlready) {
                // As it should be.
            }
        }
    }
}

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
 * Measures the share of the heap in use after garbage collection; usage between collections includes garbage. After 30
 * s without a collection the share is 0: nothing allocates much, and a server that was full would otherwise stay closed
 * until the next collection. Thread-safe.
 */
final class HeapAfterGc implements AutoCloseable {
    private static final long STALE_NANOS = Duration.ofSeconds(30).toNanos();

    private final LongSupplier nanoClock;
    private final long maxBytes;
    private final Set<String> heapPools;
    private final NotificationListener listener = (notification, unused) -> onNotification(notification);
    private final List<NotificationEmitter> collectors = new ArrayList<>();
    private volatile Reading last;

    private record Reading(double share, long nanos) {}

    /** @param maxBytes the largest size of the heap */
    HeapAfterGc(LongSupplier nanoClock, long maxBytes) {
        this.nanoClock = nanoClock;
        this.maxBytes = maxBytes;
        this.last = new Reading(0, nanoClock.getAsLong());
        this.heapPools = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getName)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Starts to listen to the collectors of this JVM. */
    HeapAfterGc listen() {
        for (Object collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (!(collector instanceof NotificationEmitter emitter)) continue;
            emitter.addNotificationListener(listener, null, null);
            collectors.add(emitter);
        }
        return this;
    }

    private void onNotification(Notification notification) {
        if (!notification.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) return;
        Map<String, MemoryUsage> after = GarbageCollectionNotificationInfo.from(
                        (CompositeData) notification.getUserData())
                .getGcInfo()
                .getMemoryUsageAfterGc();
        long used = 0;
        for (Map.Entry<String, MemoryUsage> pool : after.entrySet())
            if (heapPools.contains(pool.getKey())) used += pool.getValue().getUsed();
        collected(used);
    }

    void collected(long usedBytes) {
        last = new Reading((double) usedBytes / maxBytes, nanoClock.getAsLong());
    }

    double share() {
        Reading reading = last;
        return nanoClock.getAsLong() - reading.nanos() > STALE_NANOS ? 0 : reading.share();
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

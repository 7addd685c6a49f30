package chat.bench.writing;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Records the lowest heap usage of this JVM after collections, and the time that collections took. Sees the usage only
 * after the last of several collections between two samples. Not thread-safe.
 */
final class Heap {
    private final List<GarbageCollectorMXBean> collectors =
            ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class);
    private final Set<String> pools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(pool -> pool.getName())
            .collect(Collectors.toUnmodifiableSet());
    private final Map<GarbageCollectorMXBean, Long> seen = new HashMap<>();
    private long lowest = Long.MAX_VALUE;
    private long toldMillis = collectionMillis();

    /** Samples the last collections. */
    void look() {
        for (GarbageCollectorMXBean collector : collectors) {
            GcInfo last = collector.getLastGcInfo();
            if (last == null || Objects.equals(seen.put(collector, last.getId()), last.getId())) continue;
            lowest = Math.min(lowest, held(last.getMemoryUsageAfterGc()));
        }
    }

    private long held(Map<String, MemoryUsage> usage) {
        return usage.entrySet().stream()
                .filter(pool -> pools.contains(pool.getKey()))
                .mapToLong(pool -> pool.getValue().getUsed())
                .sum();
    }

    private long collectionMillis() {
        return collectors.stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    /** Returns the time that collections took since the last call, in milliseconds. */
    long pauseMillis() {
        long before = toldMillis;
        toldMillis = collectionMillis();
        return toldMillis - before;
    }

    /** Returns the lowest usage since the last call; 0 if there was no collection. */
    long lowestMegabytes() {
        long megabytes = lowest == Long.MAX_VALUE ? 0 : lowest >> 20;
        lowest = Long.MAX_VALUE;
        return megabytes;
    }
}

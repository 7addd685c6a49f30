package chat.load.lab.sample;

import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import org.jspecify.annotations.Nullable;

/**
 * Samples the JVM that generates the load: {@code generator.heap}, {@code heapAfterGc} and {@code heapMax} in bytes,
 * {@code gcPause} as a share of the time, and {@code jit}, the JIT compilers' time in seconds per second.
 */
final class GeneratorProbe implements Probe {
    private static final String NAME = ProcessProbe.GENERATOR;

    private final @Nullable CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void sample(Sink sink) {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        sink.gauge(NAME + ".heap", (double) heap.getUsed());
        if (heap.getMax() > 0) sink.gauge(NAME + ".heapMax", (double) heap.getMax());
        long afterGc = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            MemoryUsage collected = pool.getType() == MemoryType.HEAP ? pool.getCollectionUsage() : null;
            if (collected != null) afterGc += collected.getUsed();
        }
        // Before the first collection it is 0, which says nothing.
        if (afterGc > 0) sink.gauge(NAME + ".heapAfterGc", (double) afterGc);
        long pauseMillis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans())
            if (pauses(collector.getName())) pauseMillis += collector.getCollectionTime();
        sink.counter(NAME + ".gcPause", pauseMillis / 1e3);
        if (compiler != null && compiler.isCompilationTimeMonitoringSupported())
            sink.counter(NAME + ".jit", compiler.getTotalCompilationTime() / 1e3);
    }

    /** Some count what is done beside the program: "G1 Concurrent GC", "ZGC Major Cycles", "Shenandoah Cycles". */
    static boolean pauses(String collector) {
        return !collector.contains("Concurrent") && !collector.contains("Cycles");
    }
}

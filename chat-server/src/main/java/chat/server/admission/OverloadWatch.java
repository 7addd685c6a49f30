package chat.server.admission;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures the resources that {@link OverloadGuard} watches, every second, on a thread of its own. */
public final class OverloadWatch implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(OverloadWatch.class);
    private static final long PROBE_MILLIS = 100;
    private static final int PROBES_PER_LOOK = 10;

    private final LoopDelay delay;
    private final HeapAfterGc heap;
    private final OverloadGuard guard;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("resource-guard").daemon().factory());
    private int probes;

    /**
     * @param loops the event loops that serve the sockets
     * @param measured receives how long a task waited for one of them, in nanoseconds, on that loop
     */
    public OverloadWatch(OverloadSettings settings, List<? extends Executor> loops, LongConsumer measured) {
        this.delay = new LoopDelay(loops, System::nanoTime, measured);
        this.heap = new HeapAfterGc(System::nanoTime, Runtime.getRuntime().maxMemory());
        Map<Resource, DoubleSupplier> suppliers = new EnumMap<>(Resource.class);
        suppliers.put(Resource.EVENT_LOOP, delay::takeMillis);
        suppliers.put(Resource.HEAP, heap::share);
        suppliers.put(Resource.THREADS, ManagementFactory.getThreadMXBean()::getThreadCount);
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
            suppliers.put(Resource.PROCESS_CPU, () -> load(system.getProcessCpuLoad()));
            suppliers.put(Resource.SYSTEM_CPU, () -> load(system.getCpuLoad()));
        }
        this.guard = new OverloadGuard(settings, suppliers);
    }

    /** The JVM returns a negative load if it does not know it. */
    private static double load(double share) {
        return share < 0 ? Double.NaN : share;
    }

    public OverloadGuard guard() {
        return guard;
    }

    public OverloadWatch start() {
        heap.listen();
        timer.scheduleWithFixedDelay(this::tick, PROBE_MILLIS, PROBE_MILLIS, TimeUnit.MILLISECONDS);
        return this;
    }

    private void tick() {
        try {
            if (++probes % PROBES_PER_LOOK == 0) guard.look();
            delay.probe();
        } catch (RuntimeException | Error bug) {
            logger.error(
                    "Failed to measure the server's resources; retrying",
                    bug); // retried: a failure must not stop the timer
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        heap.close();
    }
}

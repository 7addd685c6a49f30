package chat.server.memory;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets an idle server give back the heap that its last peak took. Under load a small free heap is paid for with more
 * collections, whose number goes by what is allocated: so that decides what idle is.
 */
public final class IdleMemory implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(IdleMemory.class);
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final MemorySettings settings;
    private final FreeHeap heap;
    /** Bytes, since the JVM's start. */
    private final LongSupplier allocated;

    private final LongSupplier nanoTime;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("idle-memory").daemon().factory());
    private long allocatedBefore;
    private long lookedNanos;
    private long busyNanos;
    private volatile boolean givesBack;

    IdleMemory(MemorySettings settings, FreeHeap heap, LongSupplier allocated, LongSupplier nanoTime) {
        this.settings = settings;
        this.heap = heap;
        this.allocated = allocated;
        this.nanoTime = nanoTime;
        this.allocatedBefore = allocated.getAsLong();
        this.lookedNanos = nanoTime.getAsLong();
        this.busyNanos = lookedNanos;
    }

    /** Of this JVM. */
    public IdleMemory(MemorySettings settings) {
        this(settings, new G1FreeHeap(), IdleMemory::allocatedBytes, System::nanoTime);
    }

    private static long allocatedBytes() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getTotalThreadAllocatedBytes();
    }

    /** Looks every second, on a thread of its own, where this is wanted and nobody has decided otherwise. */
    public IdleMemory start() {
        if (settings.idleAfter().isZero() || !heap.isOurs()) return this;
        timer.scheduleWithFixedDelay(this::tick, PERIOD.toMillis(), PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        return this;
    }

    /** Whether free heap is given back now; any thread. */
    public boolean givesBack() {
        return givesBack;
    }

    private void tick() {
        try {
            look();
        } catch (RuntimeException | Error bug) {
            logger.error("what the server allocates cannot be looked at", bug); // and yet again, rather than never
        }
    }

    /** One call at a time. */
    void look() {
        long now = nanoTime.getAsLong();
        long bytes = allocated.getAsLong();
        double seconds = (now - lookedNanos) / (double) TimeUnit.SECONDS.toNanos(1);
        boolean little = bytes - allocatedBefore < settings.idleBytes() * seconds;
        allocatedBefore = bytes;
        lookedNanos = now;
        if (!little) busyNanos = now;
        boolean idle = now - busyNanos >= settings.idleAfter().toNanos();
        if (idle && givesBack) heap.goOn();
        if (idle == givesBack) return;
        if (idle) heap.giveBack();
        else heap.keep();
        givesBack = idle;
        logger.debug(idle ? "idle: free heap is given back" : "no longer idle: free heap is kept");
    }

    @Override
    public void close() {
        timer.close();
        if (givesBack) heap.keep(); // this JVM may have other uses
        givesBack = false;
    }
}

package chat.log;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs steps on the thread of one partition. A step that throws is logged, and a repeated step continues: the executor
 * alone would cancel it silently. Steps submitted after the executor has shut down are dropped, because the process is
 * stopping.
 */
final class Loop {
    private final ScheduledExecutorService executor;

    Loop(ScheduledExecutorService executor) {
        this.executor = executor;
    }

    void execute(Runnable step) {
        try {
            executor.execute(PartitionLoop.guarded(step));
        } catch (RejectedExecutionException ended) {
            // See above.
        }
    }

    @Nullable
    ScheduledFuture<?> schedule(Runnable step, long delay, TimeUnit unit) {
        try {
            return executor.schedule(PartitionLoop.guarded(step), delay, unit);
        } catch (RejectedExecutionException ended) {
            return null;
        }
    }

    @Nullable
    ScheduledFuture<?> every(long millis, Runnable step) {
        try {
            return executor.scheduleWithFixedDelay(PartitionLoop.guarded(step), millis, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException ended) {
            return null;
        }
    }
}

package chat.log;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread of a partition. What a step throws is logged, never swallowed; the loop goes on, and so do repeated steps. After its end it refuses
 * steps by {@link RejectedExecutionException}, and without a lock: event loops hand steps to it.
 */
public final class PartitionLoop extends ScheduledThreadPoolExecutor {
    private static final Logger logger = LoggerFactory.getLogger(PartitionLoop.class);

    private PartitionLoop(String name) {
        super(1, Thread.ofPlatform().daemon().name(name).factory(), (step, loop) -> {
            // The usual handler describes the pool, for which it waits for the pool's lock.
            throw new RejectedExecutionException(name + " has ended");
        });
        setRemoveOnCancelPolicy(true);
        setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    public static ScheduledExecutorService named(String name) {
        return new PartitionLoop(name);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable step, long initialDelay, long period, TimeUnit unit) {
        return super.scheduleAtFixedRate(guarded(step), initialDelay, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable step, long initialDelay, long delay, TimeUnit unit) {
        return super.scheduleWithFixedDelay(guarded(step), initialDelay, delay, unit);
    }

    /** The step, and what it throws is logged: no pool runs a repeated step again that has thrown once. */
    static Runnable guarded(Runnable step) {
        return () -> {
            try {
                step.run();
            } catch (RuntimeException | Error failure) {
                complain(failure);
            }
        };
    }

    @Override
    protected void afterExecute(Runnable step, @Nullable Throwable failure) {
        super.afterExecute(step, failure);
        Throwable thrown = failure;
        if (thrown == null && step instanceof Future<?> future && future.isDone()) {
            try {
                future.get();
            } catch (CancellationException cancelled) {
                return;
            } catch (ExecutionException failed) {
                thrown = failed.getCause();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (thrown != null) complain(thrown);
    }

    private static void complain(Throwable failure) {
        logger.error("a step of {} failed", Thread.currentThread().getName(), failure);
    }
}

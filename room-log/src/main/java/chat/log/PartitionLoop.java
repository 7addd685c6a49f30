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
 * Runs the steps of a partition on its single thread. An exception of a step is logged; the loop and repeated steps
 * continue. After shutdown it rejects steps with {@link RejectedExecutionException}, without taking a lock, because
 * event loops submit steps.
 */
public final class PartitionLoop extends ScheduledThreadPoolExecutor {
    private static final Logger logger = LoggerFactory.getLogger(PartitionLoop.class);

    private PartitionLoop(String name) {
        super(1, Thread.ofPlatform().daemon().name(name).factory(), (step, loop) -> {
            // The default handler waits for the pool's lock to describe the pool.
            throw new RejectedExecutionException(name + " has shut down");
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

    /** Wraps a step so that its exceptions are logged: an executor cancels a repeated step that throws. */
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
        logger.error("A step of {} failed", Thread.currentThread().getName(), failure);
    }
}

package chat.persistence.analytics;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Runs queries, each on a thread that holds at most one connection. Chat servers read history that their memory no
 * longer holds and time out after some seconds, so other queries, however slow, never occupy all connections.
 *
 * @param history for a room's messages before or after a position: as many threads as connections
 * @param others for all other queries: a third fewer
 * @param refused counts queries of either kind rejected because the queue was full
 */
public record QueryThreads(Scheduler history, Scheduler others, LongAdder refused) implements AutoCloseable {
    /** Bound of each queue; further queries are rejected. */
    private static final int WAITING = 256;

    private static final long IDLE_SECONDS = 60;

    /** @param connections size of the pool; a single connection is shared by both kinds */
    public static QueryThreads of(int connections) {
        int reserved = Math.max(1, connections / 3);
        LongAdder refused = new LongAdder();
        return new QueryThreads(
                threads(connections, "history", refused),
                threads(Math.max(1, connections - reserved), "queries", refused),
                refused);
    }

    private static Scheduler threads(int threads, String name, LongAdder refused) {
        // Not Reactor's bounded elastic scheduler: each of its threads has a queue of its own, so a query queued
        // behind a slow one waits although other threads are idle.
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING),
                Thread.ofPlatform().name(name + "-", 1).daemon().factory(),
                (question, full) -> {
                    if (!full.isShutdown()) refused.increment();
                    throw new RejectedExecutionException(WAITING + " queries are queued already");
                });
        pool.allowCoreThreadTimeOut(true);
        return Schedulers.fromExecutorService(pool, name);
    }

    @Override
    public void close() {
        history.dispose();
        others.dispose();
    }
}

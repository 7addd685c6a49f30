package chat.persistence.rollup;

import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Folds every few seconds and refreshes the views periodically, on two threads of its own. Only one of several
 * consumers folds at a time. A failed step is retried at the next interval: figures only get older.
 */
public final class Rollups implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(Rollups.class);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

    private final DataSource aggregating;
    private final RollupSettings settings;
    private final RollupMetrics metrics;
    private final Semaphore checking = new Semaphore(1);
    private final FailureLog foldFailures = new FailureLog("Counting what was stored");
    private final FailureLog refreshFailures = new FailureLog("Refreshing the materialized views");
    private volatile @Nullable ScheduledExecutorService threads;

    /** @param aggregating connections without auto-commit that may write; uses two at a time, three during a check */
    public Rollups(DataSource aggregating, RollupSettings settings, MeterRegistry meters, Clock clock) {
        this.aggregating = aggregating;
        this.settings = settings;
        this.metrics = new RollupMetrics(meters, clock);
    }

    /** Thrown if a check is already running. */
    public static final class Busy extends Exception {
        private static final long serialVersionUID = 1;

        Busy() {
            super("a check is already running");
        }
    }

    /**
     * Updates roll-ups and views and compares them with all messages; takes as long as reading the whole table.
     * Blocking; one at a time.
     */
    public CheckReport check() throws SQLException, Busy {
        if (!checking.tryAcquire()) throw new Busy();
        try (Connection connection = aggregating.getConnection()) {
            return RollupCheck.run(connection);
        } finally {
            checking.release();
        }
    }

    /** Folds all pending rows, unless another consumer does; returns the number of messages. Blocking. */
    public int fold() throws SQLException {
        int messages = 0;
        try (Connection connection = aggregating.getConnection()) {
            boolean more = true;
            while (more) {
                long start = System.nanoTime();
                boolean ours = Fold.tryLock(connection);
                Fold.Outcome outcome = ours ? Fold.run(connection) : new Fold.Outcome(0, false);
                connection.commit();
                if (ours) metrics.folded(outcome.messages(), Duration.ofNanos(System.nanoTime() - start));
                messages += outcome.messages();
                more = outcome.more() && !Thread.currentThread().isInterrupted();
            }
            metrics.countedThrough(asOf(connection));
            connection.commit();
        }
        return messages;
    }

    /**
     * Refreshes the views. Blocking.
     *
     * @param youngest a younger view is not refreshed
     */
    public void refresh(Duration youngest) throws SQLException {
        try (Connection connection = aggregating.getConnection()) {
            for (String view : StatsViews.NAMES) {
                long start = System.nanoTime();
                StatsViews.Outcome outcome = StatsViews.refresh(connection, view, youngest);
                connection.commit();
                if (outcome == StatsViews.Outcome.REFRESHED)
                    metrics.refreshed(view, Duration.ofNanos(System.nanoTime() - start));
            }
        }
    }

    private static @Nullable OffsetDateTime asOf(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT as_of FROM rollup_state");
                ResultSet row = select.executeQuery()) {
            return row.next() ? row.getObject(1, OffsetDateTime.class) : null;
        }
    }

    @Override
    public void start() {
        AtomicInteger number = new AtomicInteger();
        ScheduledExecutorService executor = Executors.newScheduledThreadPool(
                2,
                task -> Thread.ofPlatform()
                        .name("rollups-" + number.incrementAndGet())
                        .unstarted(task));
        threads = executor;
        long fold = settings.fold().toMillis();
        executor.scheduleWithFixedDelay(() -> attempt(foldFailures, this::fold), fold, fold, TimeUnit.MILLISECONDS);
        long refresh = settings.refresh().toMillis();
        executor.scheduleWithFixedDelay(
                () -> attempt(refreshFailures, () -> {
                    refresh(settings.refresh().dividedBy(2));
                    return 0;
                }),
                Math.min(refresh, 2 * fold),
                refresh,
                TimeUnit.MILLISECONDS);
    }

    @FunctionalInterface
    private interface Step {
        int run() throws SQLException;
    }

    private void attempt(FailureLog complaint, Step step) {
        try {
            int unused = step.run();
            complaint.works();
        } catch (SQLException | RuntimeException | Error failed) { // an exception would cancel all further runs
            if (threads == null) return;
            metrics.failed();
            complaint.fails(failed);
        }
    }

    @Override
    public void stop() {
        ScheduledExecutorService executor = threads;
        if (executor == null) return;
        threads = null;
        executor.shutdownNow();
        try {
            if (!executor.awaitTermination(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                log.warn("A fold did not stop in time; closing its connection rolls it back");
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return threads != null;
    }

    /** Stops after the ingest, which is in phase 0. */
    @Override
    public int getPhase() {
        return -1;
    }
}

package chat.kit.management.logging;

import chat.kit.management.logging.RepeatedLines.LeftOut;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Periodically logs one line with the dropped lines and their counts. */
final class RepeatedLineReport implements AutoCloseable {
    static final Logger logger = LoggerFactory.getLogger(RepeatedLineReport.class);
    private static final int NAMED = 5;

    private final RepeatedLines lines;
    private final ScheduledExecutorService thread;

    /** @param period time between two reports; a period without dropped lines has no report */
    RepeatedLineReport(RepeatedLines lines, Duration period) {
        this.lines = lines;
        // On its own thread, because an appender rejects lines logged from inside it.
        this.thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("log-report").factory());
        long millis = period.toMillis();
        thread.scheduleWithFixedDelay(this::say, millis, millis, TimeUnit.MILLISECONDS);
    }

    private void say() {
        List<LeftOut> leftOut = lines.takeLeftOut();
        if (leftOut.isEmpty()) return;
        long times = leftOut.stream().mapToLong(LeftOut::times).sum();
        String most = leftOut.stream()
                .filter(one -> !one.logger().isEmpty())
                .limit(NAMED)
                .map(one -> one.times() + " of " + one.logger() + ": " + one.text())
                .collect(Collectors.joining("; "));
        logger.atWarn()
                .addKeyValue("confab.left_out", times)
                .log("Dropped {} repeated log lines; most frequent: {}", times, most);
    }

    /** Logs the last report. */
    @Override
    public void close() {
        thread.shutdownNow();
        say();
    }
}

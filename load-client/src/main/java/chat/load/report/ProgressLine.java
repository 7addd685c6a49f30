package chat.load.report;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Says once a second how far a run has come: over itself on a terminal, else a line every five seconds. */
public final class ProgressLine implements AutoCloseable {
    private static final int SECONDS_WITHOUT_TERMINAL = 5;

    private final PrintWriter out;
    private final boolean terminal;
    private final Counters counters;
    private final long members;
    private final long texts;
    private final long startNanos = System.nanoTime();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("progress").factory());
    private long lastNanos = startNanos;
    private long lastDeliveries;
    private int seconds;

    public ProgressLine(PrintWriter out, boolean terminal, Counters counters, long members, long texts) {
        this.out = out;
        this.terminal = terminal;
        this.counters = counters;
        this.members = members;
        this.texts = texts;
    }

    public void start() {
        var unused = timer.scheduleAtFixedRate(this::tick, 1, 1, TimeUnit.SECONDS);
    }

    private void tick() {
        seconds++;
        if (terminal) out.print("\r" + line(System.nanoTime()) + "\u001b[K");
        else if (seconds % SECONDS_WITHOUT_TERMINAL == 0) out.println(line(System.nanoTime()));
        out.flush();
    }

    String line(long nowNanos) {
        long deliveries = counters.deliveries.sum();
        double rate = (deliveries - lastDeliveries) * 1e9 / Math.max(1, nowNanos - lastNanos);
        lastNanos = nowNanos;
        lastDeliveries = deliveries;
        return String.format(
                Locale.ROOT,
                "[%3d s] joined %,d/%,d  sent %,d/%,d  accepted %,d  deliveries %,d (%,.0f/s)%s",
                TimeUnit.NANOSECONDS.toSeconds(nowNanos - startNanos),
                counters.joined.sum(),
                members,
                counters.sent.sum(),
                texts,
                counters.accepted.sum(),
                deliveries,
                rate,
                more());
    }

    private String more() {
        StringBuilder more = new StringBuilder();
        append(more, "reconnects", counters.reconnects.sum() + counters.failedConnects.sum());
        append(more, "retries", counters.retries.sum());
        append(more, "refused", counters.refused.sum());
        append(more, "gaps", counters.gaps.sum());
        append(more, "stored", counters.stored.sum());
        return more.toString();
    }

    private static void append(StringBuilder more, String name, long count) {
        if (count > 0) more.append("  ").append(name).append(' ').append(count);
    }

    /** Leaves the terminal on a fresh line. */
    @Override
    public void close() {
        timer.shutdownNow();
        if (terminal && seconds > 0) out.println("\r" + line(System.nanoTime()) + "\u001b[K");
        out.flush();
    }
}

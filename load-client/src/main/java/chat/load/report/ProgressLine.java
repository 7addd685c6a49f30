package chat.load.report;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Prints progress and estimated end once a second: in place on a terminal, otherwise one line every five seconds.
 * Thread-safe.
 */
// Not me.tongfei's progressbar: it shows only one count, prints every step into a file, and needs JLine.
public final class ProgressLine implements AutoCloseable {
    private static final int SECONDS_WITHOUT_TERMINAL = 5;
    private static final int BAR = 24;
    /** Truncates a line that is too long for the terminal: a wrapped line cannot be overwritten. */
    private static final String REWRITE = "\r\u001b[?7l";

    private static final String REST_OF_LINE = "\u001b[K\u001b[?7h";

    private final PrintWriter out;
    private final boolean terminal;
    private final Counters counters;
    private final long members;
    private final long texts;
    private final @Nullable Duration chat;
    private final long startNanos = System.nanoTime();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("progress").factory());
    private final Eta eta = new Eta();
    private Stage stage = Stage.JOIN;
    private long stageNanos = startNanos;
    private long lastNanos = startNanos;
    private long lastDeliveries;
    private long lastAccepted;
    private int seconds;

    private enum Stage {
        JOIN,
        CHAT,
        STORAGE
    }

    /**
     * @param texts maximum number of TEXTs to send
     * @param chat length of the chat if it ends by time; otherwise null
     */
    public ProgressLine(
            PrintWriter out, boolean terminal, Counters counters, long members, long texts, @Nullable Duration chat) {
        this.out = out;
        this.terminal = terminal;
        this.counters = counters;
        this.members = members;
        this.texts = texts;
        this.chat = chat;
    }

    public void start() {
        var unused = timer.scheduleAtFixedRate(this::tick, 1, 1, TimeUnit.SECONDS);
    }

    private synchronized void tick() {
        seconds++;
        String line = line(System.nanoTime());
        if (terminal) out.print(REWRITE + line + REST_OF_LINE);
        else if (seconds % SECONDS_WITHOUT_TERMINAL == 0) out.println(line);
        out.flush();
    }

    synchronized String line(long nowNanos) {
        long deliveries = counters.deliveries.sum();
        long accepted = counters.accepted.sum();
        double elapsed = Math.max(1, nowNanos - lastNanos) / 1e9;
        String line = String.format(
                Locale.ROOT,
                "[%3d s] %s  joined %,d/%,d  sent %,d/%,d  accepted %,d (%,.0f/s)  deliveries %,d (%,.0f/s)%s",
                TimeUnit.NANOSECONDS.toSeconds(nowNanos - startNanos),
                way(nowNanos),
                counters.joined.sum(),
                members,
                counters.sent.sum(),
                texts,
                accepted,
                (accepted - lastAccepted) / elapsed,
                deliveries,
                (deliveries - lastDeliveries) / elapsed,
                more());
        lastNanos = nowNanos;
        lastDeliveries = deliveries;
        lastAccepted = accepted;
        return line;
    }

    /** Describes the current phase: its name, a bar, and its estimated end. */
    private String way(long nowNanos) {
        Stage now = counters.stored.sum() > 0 ? Stage.STORAGE : counters.sent.sum() > 0 ? Stage.CHAT : Stage.JOIN;
        if (now != stage) {
            stage = now;
            stageNanos = nowNanos;
            eta.forget();
        }
        double share = Math.clamp(
                switch (stage) {
                    case JOIN -> share(counters.joined.sum(), members);
                    case CHAT ->
                        chat == null
                                ? share(counters.accepted.sum() + counters.refused.sum(), texts)
                                : share(nowNanos - stageNanos, chat.toNanos());
                    case STORAGE -> share(counters.stored.sum(), counters.accepted.sum());
                },
                0,
                1);
        eta.look(nowNanos, share);
        String done = String.format(
                Locale.ROOT,
                "%s %s%3.0f %%",
                stage.name().toLowerCase(Locale.ROOT),
                terminal ? bar(share) : "",
                100 * share);
        OptionalLong left = eta.secondsLeft();
        return left.isEmpty() || share >= 1
                ? done
                : done + String.format(Locale.ROOT, ", %d:%02d left", left.getAsLong() / 60, left.getAsLong() % 60);
    }

    private static double share(long done, long all) {
        return all > 0 ? (double) done / all : 0;
    }

    private static String bar(double share) {
        int full = (int) (share * BAR);
        return "[" + "=".repeat(full) + (full < BAR ? ">" + " ".repeat(BAR - full - 1) : "") + "] ";
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

    /** Leaves the cursor on a new line. */
    @Override
    public synchronized void close() {
        timer.shutdownNow();
        if (terminal && seconds > 0) out.println(REWRITE + line(System.nanoTime()) + REST_OF_LINE);
        out.flush();
    }
}

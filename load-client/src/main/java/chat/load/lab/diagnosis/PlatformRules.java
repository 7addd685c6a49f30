package chat.load.lab.diagnosis;

import static java.lang.String.format;
import static java.util.Locale.ROOT;

import java.util.List;

/** Rules about exhausted resources that programs report: heap, sessions, connections, log space, locks. */
final class PlatformRules {
    /** Of the time. */
    static final double GC_PAUSE = 0.05;

    static final double HEAP_FULL = 0.9;
    /** Heap after collections: the observed time, and the steady growth that is reported. */
    static final int HEAP_SECONDS = 60;

    private static final double HEAP_GROWTH = 0.2;
    private static final double HEAP_FIT = 0.7;
    private static final double MEGABYTE = 1 << 20;
    private static final double HEAP_BYTES = 32 * MEGABYTE;
    /** Seconds per second by which storage may fall behind, and the lag in seconds that is worth reporting. */
    static final double LAG_GROWTH = 0.05;

    static final double LAG_SECONDS = 1;
    static final double CACHE_HITS = 0.9;
    private static final String DATABASE = "postgresql";
    private static final String CLIENT = "client";

    private final Stretch chat;
    private final Findings findings;

    PlatformRules(Stretch chat, Findings findings) {
        this.chat = chat;
        this.findings = findings;
    }

    void judge() {
        garbage();
        heaps();
        bound("sessions", "sessionsMax", "sessions");
        bound("poolActive", "poolMax", "connections for writing to the database");
        bound("readPoolActive", "readPoolMax", "connections for reading from the database");
        waiting("poolPending", "a connection for writing to the database");
        waiting("readPoolPending", "a connection for reading from the database");
        log();
        alarms();
        database();
        lag();
        incidents();
    }

    private void garbage() {
        for (String source : chat.sources("gcPause")) {
            double pause = chat.mean(source + ".gcPause");
            if (pause > GC_PAUSE)
                findings.saturated(
                        source, format(ROOT, "Garbage collection stopped it for %.1f %% of the time", 100 * pause));
        }
    }

    private void heaps() {
        for (String source : chat.sources("heapAfterGc")) {
            String name = source + ".heapAfterGc";
            double used = chat.median(name) / chat.median(source + ".heapMax");
            if (used >= HEAP_FULL)
                findings.saturated(
                        source, format(ROOT, "Its heap was %.0f %% full after garbage collections", 100 * used));
            Line line = chat.line(name);
            double growth = line.slope() * chat.seconds();
            boolean steady = chat.seconds() >= HEAP_SECONDS && line.fit() >= HEAP_FIT;
            if (steady && growth > HEAP_BYTES && growth > HEAP_GROWTH * chat.mean(name))
                findings.notice(
                        source,
                        format(
                                ROOT,
                                "What its heap holds after garbage collections grew steadily, by %.0f MB per minute",
                                60 * line.slope() / MEGABYTE));
        }
    }

    private void bound(String metric, String most, String what) {
        for (String source : chat.sources(metric)) {
            double bound = chat.median(source + "." + most);
            if (bound > 0 && chat.median(source + "." + metric) >= bound)
                findings.saturated(source, format(ROOT, "All of its %.0f %s were in use (median)", bound, what));
        }
    }

    private void waiting(String metric, String what) {
        for (String source : chat.sources(metric)) {
            double pending = chat.median(source + "." + metric);
            if (pending >= 1)
                findings.saturated(source, format(ROOT, "%.0f of its tasks waited for %s (median)", pending, what));
        }
    }

    private void log() {
        for (String source : chat.sources("paused")) {
            double paused = chat.mean(source + ".paused");
            if (paused >= 1)
                findings.saturated(
                        "log",
                        format(
                                ROOT,
                                "Sessions of %s stopped reading %.0f times/s, as the batch that waits for the log was full",
                                source,
                                paused));
        }
    }

    private void alarms() {
        for (String metric : List.of("memoryAlarm", "diskAlarm", "alarms"))
            for (String source : chat.sources(metric))
                if (chat.max(source + "." + metric) > 0)
                    findings.saturated(source, "It raised an alarm (" + metric + ") and blocked its publishers");
    }

    private void database() {
        double waiting = chat.median(DATABASE + ".waitingLocks");
        if (waiting >= 1) findings.saturated(DATABASE, format(ROOT, "%.0f locks were waited for (median)", waiting));
        double active = chat.mean(DATABASE + ".active");
        for (String wait : List.of("waitIo", "waitLwLock", "waitOther")) {
            double waited = chat.mean(DATABASE + "." + wait);
            if (active >= 1 && waited >= active / 2)
                findings.notice(
                        DATABASE,
                        format(ROOT, "Of %.1f active sessions %.1f waited on average (%s)", active, waited, wait));
        }
        double hits = chat.mean(DATABASE + ".cacheHit");
        if (hits < CACHE_HITS)
            findings.notice(
                    DATABASE, format(ROOT, "Its cache had only %.0f %% of the blocks that it needed", 100 * hits));
        double temporary = chat.total(DATABASE + ".tempBytes");
        if (temporary > MEGABYTE)
            findings.notice(
                    DATABASE,
                    format(
                            ROOT,
                            "It wrote %.0f MB into temporary files: work_mem was too small for a query",
                            temporary / MEGABYTE));
    }

    private void lag() {
        for (String source : chat.sources("lag")) {
            double[] values = chat.values(source + ".lag");
            Line line = chat.line(source + ".lag");
            double last = values[values.length - 1];
            if (line.slope() > LAG_GROWTH && last >= LAG_SECONDS)
                findings.notice(
                        source,
                        format(
                                ROOT,
                                "Storing fell behind by %.2f s each second, to %.1f s%s: %,.0f messages/s of %,.0f."
                                        + " Chat does not wait for it",
                                line.slope(),
                                last,
                                behind(source),
                                chat.meanOrNone(source + ".stored"),
                                accepted()));
        }
    }

    private String behind(String source) {
        double messages = chat.max(source + ".depth");
        return Double.isNaN(messages) ? "" : format(ROOT, " (%,.0f messages)", messages);
    }

    private double accepted() {
        double accepted = 0;
        for (String source : chat.sources("accepted"))
            if (!source.equals(CLIENT)) accepted += chat.mean(source + ".accepted");
        return accepted > 0 ? accepted : chat.meanOrNone(CLIENT + ".accepted");
    }

    /** Rules about events that must not happen. */
    private void incidents() {
        incident("closedSlow", "sockets were closed as they read too slowly");
        incident("turnedAway", "sockets were turned away");
        incident("refusedAtDoor", "upgrades were refused");
        incident("logRefused", "messages were refused, as the log was not available");
        incident("deadLetters", "messages were put aside as dead letters");
        incident("deadlocks", "deadlocks");
        incident("errors", "errors were logged");
        incident("retries", "attempts to store a batch failed");
    }

    private void incident(String metric, String what) {
        for (String source : chat.sources(metric)) {
            double times = chat.total(source + "." + metric);
            // Samples are not exactly one second apart, so the sums of their rates are not exact.
            if (!source.equals(CLIENT) && times >= 0.5) findings.notice(source, format(ROOT, "%.0f %s", times, what));
        }
    }
}

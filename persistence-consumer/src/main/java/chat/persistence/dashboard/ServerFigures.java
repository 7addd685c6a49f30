package chat.persistence.dashboard;

import chat.persistence.dashboard.Window.View;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Figures of one chat server. Rates and percentiles cover the last 15 s at most; they are null if nothing was observed
 * or this is the first reading in a while.
 *
 * @param connections to its public port
 * @param sessions sockets with a session
 * @param maxSessions limit of sessions
 * @param memberships sessions times rooms
 * @param outboxBytes waiting for slow readers
 * @param refusing whether the server rejects new sockets because of overload
 * @param log its state: UP, BLOCKED, PROBING or DOWN
 * @param breaker null: a log in memory has none
 * @param takenPerSecond messages accepted into the log
 * @param deliveriesPerSecond messages times members
 * @param accepted time from passing an entry to the log to reading it back, which a sender waits for
 * @param refusals since the server's start, most frequent first
 * @param partitions that it reads
 */
record ServerFigures(
        long connections,
        long sessions,
        long maxSessions,
        long memberships,
        long outboxBytes,
        boolean refusing,
        @Nullable String log,
        @Nullable String breaker,
        @Nullable Double takenPerSecond,
        @Nullable Double deliveriesPerSecond,
        Latency accepted,
        List<Refusal> refusals,
        List<ReadLag> partitions) {
    /** The required metrics; Prometheus asks for counters by their names without {@code _total}. */
    static final List<String> NAMES = List.of(
            "process_start_time_seconds",
            "chat_connections",
            "chat_sessions",
            "chat_sessions_max",
            "chat_memberships",
            "chat_outbox_bytes",
            "chat_guard_refusing",
            "chat_log_state",
            "chat_log_breaker",
            "chat_intake",
            "chat_deliveries",
            "chat_refused",
            "chat_handshakes_refused",
            "chat_log_read_back_seconds",
            "chat_log_read_lag_seconds");

    private static final String INTAKE = "chat_intake_total";
    private static final String TAKEN = "taken";
    private static final String ANSWERED = "answered";

    /** In milliseconds. */
    record Latency(
            @Nullable Double p50,
            @Nullable Double p95,
            @Nullable Double p99) {
        static Latency of(View view, String histogram) {
            return new Latency(
                    millis(view.quantile(histogram, 0.5)),
                    millis(view.quantile(histogram, 0.95)),
                    millis(view.quantile(histogram, 0.99)));
        }

        private static @Nullable Double millis(@Nullable Double seconds) {
            return seconds == null ? null : seconds * 1000;
        }
    }

    /** Kind of rejected item. */
    enum Refused {
        SOCKET,
        MESSAGE
    }

    record Refusal(
            Refused what,
            String reason,
            long total,
            @Nullable Double perSecond) {}

    record ReadLag(int partition, double seconds) {}

    static ServerFigures of(View view) {
        Samples now = view.now();
        return new ServerFigures(
                (long) now.sum("chat_connections"),
                (long) now.sum("chat_sessions"),
                (long) now.sum("chat_sessions_max"),
                (long) now.sum("chat_memberships"),
                (long) now.sum("chat_outbox_bytes"),
                now.sum("chat_guard_refusing") > 0,
                state(now, "chat_log_state"),
                state(now, "chat_log_breaker"),
                view.perSecond(INTAKE, "outcome", TAKEN),
                view.perSecond("chat_deliveries_total"),
                Latency.of(view, "chat_log_read_back_seconds"),
                refusals(view),
                readLags(now));
    }

    /** The state whose gauge is 1. */
    static @Nullable String state(Samples samples, String name) {
        return samples.by(name, "state").entrySet().stream()
                .filter(state -> state.getValue() == 1)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    private static List<Refusal> refusals(View view) {
        List<Refusal> refusals = new ArrayList<>();
        add(refusals, view, Refused.SOCKET, "chat_refused_total", "reason");
        double handshakes = view.now().sum("chat_handshakes_refused_total");
        if (handshakes > 0)
            refusals.add(new Refusal(
                    Refused.SOCKET, "handshakes", (long) handshakes, view.perSecond("chat_handshakes_refused_total")));
        add(refusals, view, Refused.MESSAGE, INTAKE, "outcome");
        refusals.sort(Comparator.comparingLong(Refusal::total).reversed());
        return refusals;
    }

    private static void add(List<Refusal> refusals, View view, Refused what, String counter, String label) {
        view.now().by(counter, label).forEach((reason, total) -> {
            if (total > 0 && !reason.equals(TAKEN) && !reason.equals(ANSWERED))
                refusals.add(new Refusal(what, reason, total.longValue(), view.perSecond(counter, label, reason)));
        });
    }

    private static List<ReadLag> readLags(Samples now) {
        return now.by("chat_log_read_lag_seconds", "partition").entrySet().stream()
                .filter(lag -> !lag.getValue().isNaN())
                .map(lag -> new ReadLag(Integer.parseInt(lag.getKey()), lag.getValue()))
                .sorted(Comparator.comparingInt(ReadLag::partition))
                .toList();
    }
}

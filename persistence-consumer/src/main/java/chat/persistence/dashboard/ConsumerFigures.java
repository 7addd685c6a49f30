package chat.persistence.dashboard;

import chat.persistence.dashboard.Window.View;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Figures of the consumer. Totals are since its start; rates and means cover the last 15 s at most and are null if
 * nothing was observed.
 *
 * @param duplicates messages whose id was stored already
 * @param deadLetters messages and entries that could not become rows, including resolved ones
 * @param gaps ranges of the log that were removed before they were stored
 * @param retries attempts to write that failed and were repeated
 * @param countedAgeSeconds age of the figures; null: not known
 * @param refusals rejected REST queries, by reason
 */
record ConsumerFigures(
        long stored,
        @Nullable Double storedPerSecond,
        long duplicates,
        long deadLetters,
        long gaps,
        long retries,
        @Nullable Double countedAgeSeconds,
        Batches batches,
        Map<String, Long> refusals) {
    /** The required metrics; Prometheus asks for counters by their names without {@code _total}. */
    static final Set<String> NAMES = Set.of(
            "process_start_time_seconds",
            "persistence_stored",
            "persistence_duplicates",
            "persistence_dead_letters",
            "persistence_gaps",
            "persistence_retries",
            "persistence_rollup_age_seconds",
            "persistence_batch_size_messages",
            "persistence_batch_size_messages_max",
            "persistence_batch_write_seconds",
            "persistence_flushes",
            "persistence_refused",
            "persistence_rest_rate");

    private static final String SIZE = "persistence_batch_size_messages";
    private static final String WRITE = "persistence_batch_write_seconds";

    /**
     * @param written since the start, including batches without messages
     * @param meanSize messages
     * @param largest of the last minutes, messages
     * @param writing milliseconds from a batch's closing to its commit, of the last minutes
     * @param closedBy number closed by size, time, position and stop
     */
    record Batches(
            long written,
            @Nullable Double meanSize,
            long largest,
            ServerFigures.Latency writing,
            Map<String, Long> closedBy) {}

    static ConsumerFigures of(View view) {
        Samples now = view.now();
        Map<String, Long> refusals = whole(now.by("persistence_refused_total", "reason"));
        long rate = whole(now.by("persistence_rest_rate_total", "outcome")).getOrDefault("refused", 0L);
        if (rate > 0) refusals.put("rate", rate);
        refusals.values().removeIf(count -> count == 0);
        Map<String, Long> closedBy = whole(now.by("persistence_flushes_total", "cause"));
        return new ConsumerFigures(
                (long) now.sum("persistence_stored_total"),
                view.perSecond("persistence_stored_total"),
                (long) now.sum("persistence_duplicates_total"),
                (long) now.sum("persistence_dead_letters_total"),
                (long) now.sum("persistence_gaps_total"),
                (long) now.sum("persistence_retries_total"),
                known(now, "persistence_rollup_age_seconds"),
                new Batches(
                        closedBy.values().stream().mapToLong(Long::longValue).sum(),
                        view.mean(SIZE),
                        (long) now.sum(SIZE + "_max"),
                        writing(now.by(WRITE, "quantile")),
                        closedBy),
                refusals);
    }

    private static @Nullable Double known(Samples now, String gauge) {
        double value = now.sum(gauge);
        return now.has(gauge) && Double.isFinite(value) ? value : null;
    }

    private static ServerFigures.Latency writing(Map<String, Double> quantiles) {
        return new ServerFigures.Latency(
                millis(quantiles.get("0.5")), millis(quantiles.get("0.95")), millis(quantiles.get("0.99")));
    }

    /** An expired summary reports 0 or NaN. */
    private static @Nullable Double millis(@Nullable Double seconds) {
        return seconds == null || !(seconds > 0) ? null : seconds * 1000;
    }

    private static Map<String, Long> whole(Map<String, Double> counts) {
        Map<String, Long> whole = new TreeMap<>();
        counts.forEach((name, count) -> whole.put(name, count.longValue()));
        return whole;
    }
}

package chat.load.report;

import chat.load.check.Verdict;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Holds the result of a run: the content of {@code summary.json} and of the table on the terminal.
 *
 * @param run its name; the names of its rooms begin with it
 * @param startedAt ISO-8601
 * @param plan as in {@code plan.json}
 * @param sharesMachine whether a server runs on the generator's machine, so that figures include the generator's
 *     share
 * @param commit of the repository; null if unknown
 * @param latencyMillis by metric
 * @param processes by name, as far as they were sampled
 * @param peaks maximum of each queue over the whole run, by series, as far as it was sampled
 * @param littlesLaw null if one of its sides was not measured
 * @param warmUp null if there was none
 */
public record Summary(
        boolean passed,
        String run,
        String startedAt,
        String scenario,
        String headline,
        JsonNode plan,
        List<String> urls,
        boolean sharesMachine,
        @Nullable String commit,
        Seconds seconds,
        List<PhaseWindow> phases,
        Rates rates,
        Counts counts,
        Map<String, Percentiles> latencyMillis,
        Map<String, RunRecord.MessageCount> messages,
        List<RoomRate> rooms,
        Map<String, ProcessUse> processes,
        Map<String, Double> peaks,
        @Nullable LittlesLaw littlesLaw,
        RunRecord.@Nullable WarmUp warmUp,
        List<Finding> findings,
        Verdict verdict) {

    /** Series that measure queues, in any program. */
    private static final Set<String> WAITING =
            Set.of("depth", "lag", "entriesUnconfirmed", "outboxBytes", "poolPending", "unacknowledged");

    public static Summary of(RunRecord run) {
        return new Summary(
                run.verdict().passed(),
                run.run(),
                run.environment().startedAt(),
                run.plan().scenario(),
                run.plan().headline(),
                run.plan().tree(),
                run.urls(),
                run.environment().sharesMachine(),
                run.environment().commit(),
                run.seconds(),
                PhaseWindow.of(run),
                Rates.of(run),
                run.counts(),
                percentiles(run.latencies()),
                run.messages(),
                RoomRate.of(run),
                ProcessUse.of(run),
                peaks(run.samples()),
                LittlesLaw.of(run),
                run.warmUp(),
                run.findings(),
                run.verdict());
    }

    private static Map<String, Double> peaks(Samples samples) {
        PhaseWindow all = PhaseWindow.all(samples);
        Map<String, Double> peaks = new LinkedHashMap<>();
        for (String name : samples.names())
            if (WAITING.contains(name.substring(name.indexOf('.') + 1)))
                all.max(samples.values(name)).ifPresent(most -> peaks.put(name, most));
        return peaks;
    }

    private static Map<String, Percentiles> percentiles(Map<String, Histogram> latencies) {
        Map<String, Percentiles> all = new LinkedHashMap<>();
        latencies.forEach((name, histogram) -> {
            if (histogram.getTotalCount() > 0) all.put(name, Percentiles.of(histogram));
        });
        return all;
    }

    /**
     * Duration of the phases.
     *
     * @param chat from the first TEXT until all members had everything; 0 if that did not happen
     * @param storage from the last LEAVE until everything was read back and compared
     */
    public record Seconds(double join, double chat, double storage, double all) {}

    /** Per second of the chat phase; 0 if it did not complete. */
    public record Rates(double sends, double accepted, double deliveries) {
        static Rates of(RunRecord run) {
            double chat = run.seconds().chat();
            return chat <= 0
                    ? new Rates(0, 0, 0)
                    : new Rates(
                            run.verdict().invoked() / chat,
                            run.verdict().accepted() / chat,
                            run.counts().deliveries() / chat);
        }
    }

    /** Accepted TEXTs per second of one room, from its first TEXT until all its members had everything. */
    public record RoomRate(String room, double acceptedPerSecond) {
        static List<RoomRate> of(RunRecord run) {
            return run.rooms().stream()
                    .map(room -> new RoomRate(room.room(), room.acceptedPerSecond()))
                    .toList();
        }
    }

    /**
     * Event counts.
     *
     * @param connections opened
     * @param failedConnects connections that failed before the member's first WELCOME
     * @param unavailableRetries frames sent again because a server was UNAVAILABLE
     * @param resends TEXTs sent again because a connection was lost before their ACK
     * @param duplicates TEXTs sent a second time on purpose
     * @param frames MESSAGES frames received
     * @param framesRecognised those of them whose bytes had been read before
     */
    public record Counts(
            long connections,
            long reconnects,
            long failedConnects,
            long unavailableRetries,
            long resends,
            long duplicates,
            long gaps,
            long frames,
            long framesRecognised,
            long deliveries) {
        public static Counts of(Counters counters) {
            return new Counts(
                    counters.opened.sum(),
                    counters.reconnects.sum(),
                    counters.failedConnects.sum(),
                    counters.retries.sum(),
                    counters.resends.sum(),
                    counters.duplicates.sum(),
                    counters.gaps.sum(),
                    counters.frames.sum(),
                    counters.copies.sum(),
                    counters.deliveries.sum());
        }
    }

    /**
     * Resources that one process used.
     *
     * @param cpuMean cores, over the chat phase; null if unknown
     * @param cpuDeviation standard deviation over the seconds of the chat phase; null with fewer than two
     * @param cpuMax cores, in the busiest second of the run; null if unknown
     * @param rssMax bytes of resident memory, over the whole run; null if unknown
     */
    public record ProcessUse(
            @Nullable Double cpuMean,
            @Nullable Double cpuDeviation,
            @Nullable Double cpuMax,
            @Nullable Double rssMax) {
        static Map<String, ProcessUse> of(RunRecord run) {
            Samples samples = run.samples();
            PhaseWindow chat = PhaseWindow.chat(run);
            PhaseWindow all = PhaseWindow.all(samples);
            Map<String, ProcessUse> uses = new LinkedHashMap<>();
            for (String name : samples.names()) {
                String process = name.substring(0, Math.max(0, name.indexOf('.')));
                if (!name.equals(process + ".cpu") && !name.equals(process + ".rss")) continue;
                double[] cpu = samples.values(process + ".cpu");
                uses.putIfAbsent(
                        process,
                        new ProcessUse(
                                known(chat.mean(cpu)),
                                known(chat.deviation(cpu)),
                                known(all.max(cpu)),
                                known(all.max(samples.values(process + ".rss")))));
            }
            return uses;
        }

        private static @Nullable Double known(java.util.OptionalDouble value) {
            return value.isPresent() ? value.getAsDouble() : null;
        }
    }
}

package chat.load.report;

import chat.load.check.Verdict;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Holds everything that a finished run passes to its report.
 *
 * @param run its name; the names of its rooms begin with it
 * @param urls the servers under load
 * @param latencies in microseconds, by metric, in display order; empty ones are left out
 * @param phases in any order; each lasts until the next begins, the last one until the end
 * @param messages by type
 * @param findings where the time went
 * @param warmUp the preceding warm-up, which the other figures exclude; null if there was none
 */
public record RunRecord(
        String run,
        RunPlan plan,
        List<String> urls,
        Environment environment,
        Verdict verdict,
        Summary.Seconds seconds,
        Summary.Counts counts,
        Map<String, Histogram> latencies,
        Samples samples,
        List<Phase> phases,
        Throughput throughput,
        List<RoomThroughput> rooms,
        Map<String, MessageCount> messages,
        List<Finding> findings,
        @Nullable WarmUp warmUp,
        PlatformMetrics platform) {
    public static final String ACK = "frame to ACK";
    public static final String OWN_DELIVERY = "frame to own delivery";
    public static final String OTHERS_DELIVERY = "frame to delivery at others";
    public static final String ROW = "frame to row";
    public static final String WELCOME = "JOIN to WELCOME";
    public static final String CONNECT = "connect to WELCOME";

    /** Series of the rows that the consumer stored per second. */
    static final String STORED = "consumer.stored";

    /** The phase in which messages are sent. */
    public static final String CHAT = "chat";

    public RunRecord {
        urls = List.copyOf(urls);
        phases = phases.stream().sorted(Comparator.comparingInt(Phase::second)).toList();
        rooms = List.copyOf(rooms);
        findings = List.copyOf(findings);
    }

    /**
     * The beginning of a phase.
     *
     * @param second since the run's beginning, as in {@link Samples}
     */
    public record Phase(String name, int second) {}

    /** @param successful accepted TEXTs, JOINs with a WELCOME, acknowledged LEAVEs */
    public record MessageCount(long sent, long successful) {}

    /**
     * Figures of one room.
     *
     * @param deliveries to all its members
     * @param seconds from its first TEXT until all its members had everything
     */
    public record RoomThroughput(String room, long sent, long accepted, long deliveries, double seconds) {
        double acceptedPerSecond() {
            return seconds > 0 ? accepted / seconds : 0;
        }

        double deliveriesPerSecond() {
            return seconds > 0 ? deliveries / seconds : 0;
        }
    }

    /**
     * Summary of a warm-up.
     *
     * @param connections of the largest round
     * @param sent in all rounds, like accepted and seconds
     * @param latencyMillis by metric, of the last round
     */
    public record WarmUp(
            int rounds,
            int connections,
            long sent,
            long accepted,
            double seconds,
            Map<String, Percentiles> latencyMillis) {
        /** Adds a later round. */
        public WarmUp and(WarmUp later) {
            return new WarmUp(
                    rounds + later.rounds,
                    Math.max(connections, later.connections),
                    sent + later.sent,
                    accepted + later.accepted,
                    seconds + later.seconds,
                    later.latencyMillis);
        }

        double acceptedPerSecond() {
            return seconds > 0 ? accepted / seconds : 0;
        }
    }

    /** The answer of the platform's metrics endpoint at the end of the run. */
    public sealed interface PlatformMetrics {
        record Answer(String url, JsonNode body) implements PlatformMetrics {}

        /**
         * No answer.
         *
         * @param reason for users
         */
        record None(String reason) implements PlatformMetrics {}
    }
}

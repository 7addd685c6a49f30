package chat.load.report;

import chat.load.check.Verdict;
import chat.load.plan.Plan;
import chat.load.report.Latencies.Percentiles;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a run came to: the content of {@code summary.json}, and of the table on the terminal.
 *
 * @param run its name, which begins the names of its rooms
 * @param startedAt ISO-8601
 * @param sharesMachine whether a server's URL is a loopback address, so that figures include the generator's own share
 * @param latencyMillis by what is measured
 */
public record Summary(
        boolean passed,
        String run,
        String startedAt,
        Planned plan,
        List<String> urls,
        boolean sharesMachine,
        Seconds seconds,
        Rates rates,
        Counts counts,
        Map<String, Percentiles> latencyMillis,
        Verdict verdict) {

    /** The plan, flat. */
    public record Planned(
            String scenario,
            int rooms,
            int users,
            int messages,
            int texts,
            int payload,
            int window,
            double connectsPerSecond,
            String placement,
            long seed,
            long timeoutSeconds) {
        public static Planned of(Plan plan) {
            return new Planned(
                    plan.scenario(),
                    plan.numbering().rooms(),
                    plan.numbering().users(),
                    plan.numbering().messages(),
                    plan.numbering().total(),
                    plan.payload(),
                    plan.sends().size(),
                    plan.connects().perSecond(),
                    plan.placement().name().toLowerCase(Locale.ROOT),
                    plan.seed(),
                    plan.timeout().toSeconds());
        }
    }

    /**
     * How long the phases took.
     *
     * @param chat from the first TEXT until everybody had everything; 0 where that never was
     * @param storage from the last LEAVE until everything was read back and compared
     */
    public record Seconds(double join, double chat, double storage, double all) {}

    /** Per second of the chat phase; 0 where it never came to its end. */
    public record Rates(double sends, double deliveries) {
        public static Rates of(Counters counters, double chatSeconds) {
            return chatSeconds <= 0
                    ? new Rates(0, 0)
                    : new Rates(counters.sent.sum() / chatSeconds, counters.deliveries.sum() / chatSeconds);
        }
    }

    /**
     * How often something happened.
     *
     * @param failedConnects connections that came to nothing before the member's first WELCOME
     * @param unavailableRetries frames sent again because a server was UNAVAILABLE
     * @param resends TEXTs sent again because a connection was lost before their ACK
     * @param frames MESSAGES frames received
     * @param framesRecognised those of them whose bytes had been read before
     */
    public record Counts(
            long reconnects,
            long failedConnects,
            long unavailableRetries,
            long resends,
            long gaps,
            long frames,
            long framesRecognised,
            long deliveries) {
        public static Counts of(Counters counters) {
            return new Counts(
                    counters.reconnects.sum(),
                    counters.failedConnects.sum(),
                    counters.retries.sum(),
                    counters.resends.sum(),
                    counters.gaps.sum(),
                    counters.frames.sum(),
                    counters.copies.sum(),
                    counters.deliveries.sum());
        }
    }
}

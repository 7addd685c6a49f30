package chat.load.lab.query;

import chat.load.check.Verdict.Check;
import chat.load.check.Verdict.Status;
import chat.load.plan.Pacing;
import chat.load.report.Percentiles;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Holds the result of a run of queries: the content of {@code summary.json} and of the table on the terminal. Fields
 * that a chat's summary also has use the same names.
 *
 * @param run a name, unique in practice
 * @param startedAt ISO-8601
 * @param headline the plan's size in one line
 * @param sharesMachine whether a URL is a loopback address, so that figures include the generator's share
 * @param rates per second of the measured phase
 * @param latencyMillis by query, of answers with status 200
 * @param unsupported name of a query, and what was answered instead
 * @param ingest null if no chat ran at the same time
 */
public record QuerySummary(
        boolean passed,
        String run,
        String startedAt,
        String scenario,
        String headline,
        Planned plan,
        List<String> urls,
        boolean sharesMachine,
        Seconds seconds,
        Rates rates,
        List<Asked> queries,
        Map<String, Percentiles> latencyMillis,
        Map<String, String> unsupported,
        @Nullable Ingest ingest,
        Judged verdict) {

    /**
     * @param askedPerSecond 0: closed loop
     * @param from of the messages that were asked about, ISO-8601
     * @param to of the messages that were asked about, ISO-8601
     */
    public record Planned(
            String scenario,
            int concurrency,
            double askedPerSecond,
            int warmup,
            int iterations,
            double durationSeconds,
            long timeoutMillis,
            long seed,
            int rooms,
            int users,
            String from,
            String to) {
        static Planned of(QueryPlan plan, Known known) {
            Pacing.Rate rate = plan.rate();
            Duration duration = plan.duration();
            return new Planned(
                    "queries",
                    plan.concurrency(),
                    rate == null ? 0 : rate.perSecond(),
                    plan.warmup(),
                    plan.iterations(),
                    duration == null ? 0 : duration.toMillis() / 1e3,
                    plan.timeout().toMillis(),
                    plan.seed(),
                    known.rooms().size(),
                    known.users().size(),
                    known.from().toString(),
                    known.to().toString());
        }
    }

    /** Duration of the phases. */
    public record Seconds(double discovery, double warmup, double measured, double all) {}

    /** Of the measured phase. */
    public record Rates(double answers, double rows) {
        static Rates of(List<Asked> asked, double seconds) {
            return new Rates(
                    asked.stream().mapToLong(Asked::answers).sum() / seconds,
                    asked.stream()
                                    .mapToDouble(one -> one.answers() * one.rowsPerAnswer())
                                    .sum()
                            / seconds);
        }
    }

    /**
     * One query.
     *
     * @param targetMillis limit for p99; 0: none
     * @param met null if there is no target
     * @param statuses count per HTTP status, repeated requests included
     * @param retries requests repeated because the server was busy
     */
    public record Asked(
            String name,
            String asks,
            String path,
            double targetMillis,
            @Nullable Boolean met,
            long answers,
            double rowsPerAnswer,
            long bytes,
            Map<String, Long> statuses,
            long retries) {
        static Asked of(Query query, Tally tally) {
            Percentiles latency = tally.percentiles();
            return new Asked(
                    query.name(),
                    query.asks(),
                    query.path(),
                    query.targetMillis(),
                    query.hasTarget() ? latency.count() > 0 && latency.p99() < query.targetMillis() : null,
                    tally.answers(),
                    tally.rowsPerAnswer(),
                    tally.bytes(),
                    tally.statuses(),
                    tally.retries());
        }
    }

    /**
     * The scenario that ran at the same time.
     *
     * @param exitCode of the child
     * @param messagesPerSecond from its summary; null if there is none
     * @param summary path of its summary; null if there is none
     */
    public record Ingest(
            String command,
            int exitCode,
            @Nullable Double messagesPerSecond,
            @Nullable Double deliveriesPerSecond,
            @Nullable String summary,
            List<String> lastLines) {}

    /** All checks. */
    public record Judged(List<Check> checks) {
        boolean passed() {
            return checks.stream().noneMatch(check -> check.status() == Status.FAIL);
        }
    }
}

package chat.load.lab.query;

import chat.load.lab.child.Children;
import chat.load.lab.child.ClientRun;
import chat.load.lab.child.CommandWords;
import chat.load.lab.query.Askers.Limits;
import chat.load.lab.query.QuerySummary.Asked;
import chat.load.lab.query.QuerySummary.Seconds;
import chat.load.lab.query.RestClient.Reply;
import chat.load.report.Percentiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Executes one run of queries: discovers data and supported queries, starts the concurrent chat, warms up, measures,
 * and checks that pages connect. Used by one thread, which it blocks.
 */
public final class QueryRun implements AutoCloseable {
    /** The chat ends by itself if it makes no progress; this limit is for a process that hangs. */
    private static final Duration INGEST_LIMIT = Duration.ofHours(24);
    /** Statuses that mean that the server does not support the query. */
    private static final List<Integer> UNKNOWN = List.of(404, 405, 410, 501);

    /** Nothing can be asked or judged. The message is for users. */
    public static final class Unusable extends Exception {
        private static final long serialVersionUID = 1;

        Unusable(String message) {
            super(message);
        }
    }

    private final QueryPlan plan;
    private final List<String> client;
    private final Path ingestFolder;
    private final RestClient rest;
    private final Judgement judgement = new Judgement();
    private final Askers askers;
    private final Map<String, String> unsupported = new LinkedHashMap<>();
    private volatile String phase = "looking around";

    /**
     * @param client how to start the load client as a child, for {@link QueryPlan#ingest}
     * @param ingestFolder folder for the child's output
     */
    public QueryRun(QueryPlan plan, List<String> client, Path ingestFolder) {
        this.plan = plan;
        this.client = List.copyOf(client);
        this.ingestFolder = ingestFolder;
        this.rest = new RestClient(plan.bases(), plan.timeout());
        this.askers = new Askers(rest, judgement, plan.concurrency());
    }

    /** Describes the progress in one line; may be called from any thread at any time. */
    public String progress() {
        return String.format(Locale.ROOT, "%s: %,d answers, %,d faults", phase, askers.answers(), judgement.faults());
    }

    /** @throws Unusable if nothing can be asked */
    public QuerySummary run() throws Unusable, InterruptedException {
        Instant startedAt = Instant.now();
        long begin = System.nanoTime();
        Known known = new Discovery(rest, plan.subjects()).discover();
        List<Query> queries = supported(known);
        Questions questions = new Questions(queries, known, plan.seed());
        long discovered = System.nanoTime();
        try (Children children = new Children()) {
            ClientRun ingest = plan.ingest().isEmpty() ? null : startIngest(children);
            phase = "warm-up";
            Limits warmUp = new Limits((long) plan.warmup() * queries.size(), null, () -> true);
            double warm = askers.ask(questions, warmUp, null, tallies(queries));
            phase = ingest == null ? "measuring" : "measuring, with chat";
            Map<Query, Tally> tallies = tallies(queries);
            double measured = askers.ask(questions, limits(queries, ingest), plan.rate(), tallies);
            phase = "checking pages";
            String pages = Catalogue.roomMessages().path();
            boolean paged = queries.stream().anyMatch(query -> query.path().equals(pages));
            if (paged) new ChainCheck(rest, questions, judgement).run(plan.seed());
            phase = "waiting for the chat";
            QuerySummary.Ingest chatted = ingest == null ? null : ended(ingest);
            Seconds seconds =
                    new Seconds((discovered - begin) / 1e9, warm, measured, (System.nanoTime() - begin) / 1e9);
            return summary(startedAt, known, seconds, tallies, paged, chatted);
        }
    }

    private List<Query> supported(Known known) throws Unusable, InterruptedException {
        List<Query> all = Catalogue.named(plan.queries());
        if (known.users().isEmpty()
                && all.stream().anyMatch(query -> query.draws().contains(Query.Draw.USER)))
            throw new Unusable("nobody has written in these rooms: give --user");
        Questions questions = new Questions(all, known, plan.seed());
        List<Query> supported = new ArrayList<>();
        for (Query query : all) {
            String reason = whyNot(questions.question(query, new Random(plan.seed())));
            if (reason == null) supported.add(query);
            else unsupported.put(query.name(), reason);
        }
        if (!supported.isEmpty()) return supported;
        List<String> reasons = new ArrayList<>();
        unsupported.forEach((name, reason) -> reasons.add(QueryTable.unsupported(name, reason)));
        throw new Unusable(String.join("; ", reasons));
    }

    /** @return null if the server supports the query, or its answer needs to be measured */
    private @Nullable String whyNot(Question question) throws InterruptedException {
        Reply reply;
        try {
            reply = rest.get(0, question.target());
        } catch (IOException slowOrGone) {
            return null;
        }
        String from = reply.status() + " from " + reply.uri().getPath();
        if (UNKNOWN.contains(reply.status()) || reply.status() / 100 == 3) return from;
        if (reply.status() != 200) return null;
        if (!reply.isJson()) return from + ", and no JSON";
        JsonNode answer = reply.json();
        // Broken JSON means that the server supports the query.
        return answer == null || question.query().isAnswer(answer) ? null : from + ", and no answer to that question";
    }

    private ClientRun startIngest(Children children) throws Unusable {
        try {
            return ClientRun.start(children, client, plan.ingest(), ingestFolder);
        } catch (IOException failed) {
            throw new Unusable("the chat could not be started: " + failed.getMessage());
        }
    }

    private static Map<Query, Tally> tallies(List<Query> queries) {
        Map<Query, Tally> tallies = new LinkedHashMap<>();
        for (Query query : queries) tallies.put(query, new Tally());
        return tallies;
    }

    private Limits limits(List<Query> queries, @Nullable ClientRun ingest) {
        return new Limits(
                plan.iterations() == 0 ? Long.MAX_VALUE : (long) plan.iterations() * queries.size(),
                plan.duration(),
                ingest == null ? () -> true : ingest::isAlive);
    }

    private QuerySummary.Ingest ended(ClientRun ingest) throws InterruptedException {
        String command = CommandWords.join(plan.ingest());
        ClientRun.Ended ended = ingest.await(INGEST_LIMIT);
        if (ended == null) {
            judgement.ingestFailed("it did not complete");
            return new QuerySummary.Ingest(command, -1, null, null, null, List.of());
        }
        if (!ended.passed()) judgement.ingestFailed("exit code " + ended.exitCode());
        JsonNode summary = ended.summary();
        return new QuerySummary.Ingest(
                command,
                ended.exitCode(),
                rate(summary, "sends"),
                rate(summary, "deliveries"),
                summary == null ? null : ingestFolder.resolve("summary.json").toString(),
                ended.lastLines());
    }

    private static @Nullable Double rate(@Nullable JsonNode summary, String name) {
        if (summary == null) return null;
        JsonNode rate = summary.path("rates").path(name);
        return rate.isNumber() ? rate.asDouble() : null;
    }

    private QuerySummary summary(
            Instant startedAt,
            Known known,
            Seconds seconds,
            Map<Query, Tally> tallies,
            boolean paged,
            QuerySummary.@Nullable Ingest chatted) {
        Map<String, Percentiles> latencies = new LinkedHashMap<>();
        List<Asked> asked = new ArrayList<>();
        tallies.forEach((query, tally) -> {
            Asked one = Asked.of(query, tally);
            latencies.put(query.name(), tally.percentiles());
            asked.add(one);
            if (Boolean.FALSE.equals(one.met())) judgement.tooSlow(missed(query, tally.percentiles()));
        });
        boolean targets = plan.judgeTargets() && asked.stream().anyMatch(one -> one.met() != null);
        QuerySummary.Judged verdict =
                new QuerySummary.Judged(judgement.checks(new Judgement.Scope(paged, targets, chatted != null)));
        return new QuerySummary(
                verdict.passed(),
                "q" + Long.toString(startedAt.toEpochMilli(), 36),
                startedAt.truncatedTo(ChronoUnit.SECONDS).toString(),
                "queries",
                String.format(
                        Locale.ROOT,
                        "%d queries about %,d rooms and %,d users",
                        asked.size(),
                        known.rooms().size(),
                        known.users().size()),
                QuerySummary.Planned.of(plan, known),
                plan.bases().stream().map(URI::toString).toList(),
                plan.bases().stream().anyMatch(QueryRun::isLoopback),
                seconds,
                QuerySummary.Rates.of(asked, seconds.measured()),
                asked,
                latencies,
                unsupported,
                chatted,
                verdict);
    }

    private static String missed(Query query, Percentiles percentiles) {
        return percentiles.count() == 0
                ? query.name() + " was never answered"
                : String.format(
                        Locale.ROOT,
                        "%s: %.1f ms, target %.0f ms",
                        query.name(),
                        percentiles.p99(),
                        query.targetMillis());
    }

    private static boolean isLoopback(URI base) {
        try {
            return InetAddress.getByName(base.getHost()).isLoopbackAddress();
        } catch (UnknownHostException unknown) {
            return false;
        }
    }

    @Override
    public void close() {
        rest.close();
    }
}

package chat.load;

import chat.load.lab.child.LoadClientCommand;
import chat.load.lab.query.QueryPlan;
import chat.load.lab.query.QueryRun;
import chat.load.lab.query.QuerySummary;
import chat.load.lab.query.QuerySummaryFile;
import chat.load.lab.query.QueryTable;
import chat.load.plan.Pacing;
import chat.load.run.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Implements {@code load queries}: queries the consumer's REST API, checks each answer and compares latencies with
 * the targets.
 */
@Command(
        name = "queries",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Queries the consumer's REST API about rooms, users and times that exist, checks every answer, and "
                        + "compares the 99th percentile of each query with its target.",
        footer = {
            "",
            "With a chat at the same time:",
            "  ./load queries --during-ingest -- fanout --messages 500 --url ws://127.0.0.1:8081"
        })
final class QueriesCommand implements Callable<Integer> {
    private static final String USUAL = "http://127.0.0.1:8090";
    private static final int CLOSED_LOOP = 8;
    private static final int OPEN_LOOP = 64;
    private static final int ITERATIONS = 1000;
    private static final int PROGRESS_SECONDS = 5;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description =
                    "The REST API, http://host:port; repeat it for several, which alternate. Default: " + USUAL + ".")
    private List<String> urls = List.of(USUAL);

    @Option(
            names = "--query",
            split = ",",
            paramLabel = "NAME",
            description =
                    "Only these: Q1, Q1-after, Q1-before (a room's messages by time, or by position), Q2 (a user's "
                            + "messages), Q3 (active users), Q4 (a user's rooms), per-second, per-minute, top-users, top-rooms, "
                            + "participation, metrics. Default: all.")
    private List<String> queries = List.of();

    @Option(
            names = "--room",
            split = ",",
            paramLabel = "ID",
            description = "Ask about these rooms. Default: the most active ones, or else those of 1 to 20 that exist.")
    private List<String> rooms = List.of();

    @Option(
            names = "--run-name",
            paramLabel = "NAME",
            description = "Ask about the rooms of this run, as its summary names it.")
    @Nullable
    private String runName;

    @Option(
            names = "--user",
            split = ",",
            paramLabel = "ID",
            description = "Ask about these users. Default: those found in the rooms.")
    private List<String> users = List.of();

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description = "Ask about messages from this time on, ISO-8601 with offset. Default: the rooms' first.")
    @Nullable
    private OffsetDateTime from;

    @Option(names = "--to", paramLabel = "TIME", description = "And before this time. Default: after the rooms' last.")
    @Nullable
    private OffsetDateTime to;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            description = "Maximum number of questions in flight. Default: " + CLOSED_LOOP + ", with --rate "
                    + OPEN_LOOP + ".")
    @Nullable
    private Integer concurrency;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Open loop: questions per second, all queries together, at intended times. "
                    + "Default: closed loop, the next question follows the answer.")
    @Nullable
    private Double rate;

    @Option(
            names = "--iterations",
            paramLabel = "N",
            description = "How often each query is asked. Default: " + ITERATIONS
                    + ", or without limit if there is a --duration or --during-ingest.")
    @Nullable
    private Integer iterations;

    @Option(names = "--duration", paramLabel = "TIME", description = "How long to ask, such as 30s. Default: no limit.")
    @Nullable
    private Duration duration;

    @Option(
            names = "--warm-up",
            defaultValue = "100",
            paramLabel = "N",
            description =
                    "How often each query is asked and checked before the measurement. " + "Default: ${DEFAULT-VALUE}.")
    private int warmUp = 100;

    @Option(
            names = "--timeout",
            defaultValue = "20s",
            paramLabel = "TIME",
            description = "How long to wait for one answer. Default: ${DEFAULT-VALUE}.")
    private Duration timeout = Duration.ofSeconds(20);

    @Option(names = "--ignore-targets", description = "Show missed targets, but do not fail the run because of them.")
    private boolean ignoreTargets;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the questions. Default: the clock.")
    @Nullable
    private Long seed;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Folder for summary.json; the files of the chat are in DIR/ingest.")
    @Nullable
    private Path out;

    @Option(
            names = "--during-ingest",
            description = "Run the chat scenario given after -- at the same time; the queries end with it.")
    private boolean duringIngest;

    @Parameters(
            arity = "0..*",
            paramLabel = "SCENARIO",
            description = "With --during-ingest: after --, a scenario of this load client and its options.")
    private List<String> ingest = List.of();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException, IOException {
        QueryPlan plan = plan();
        PrintWriter terminal = spec.commandLine().getOut();
        Path folder = out;
        Path ingestFolder = folder != null || !duringIngest
                ? Objects.requireNonNullElse(folder, Path.of("")).resolve("ingest")
                : Files.createTempDirectory("load-ingest");
        try (QueryRun run = new QueryRun(plan, LoadClientCommand.own(LoadClient.class), ingestFolder);
                ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
                        Thread.ofPlatform().daemon().name("progress").factory())) {
            var unused = timer.scheduleAtFixedRate(
                    () -> {
                        terminal.println(run.progress());
                        terminal.flush();
                    },
                    PROGRESS_SECONDS,
                    PROGRESS_SECONDS,
                    TimeUnit.SECONDS);
            QuerySummary summary = run.run();
            timer.shutdownNow();
            terminal.print(QueryTable.of(summary));
            if (folder != null) terminal.println("written: " + QuerySummaryFile.write(folder, summary));
            terminal.flush();
            if (!summary.passed()) return ExitCodes.FAILED;
            return summary.unsupported().isEmpty() ? ExitCodes.PASSED : ExitCodes.UNUSABLE;
        } catch (QueryRun.Unusable unusable) {
            spec.commandLine().getErr().println("load: " + unusable.getMessage());
            return ExitCodes.UNUSABLE;
        }
    }

    private QueryPlan plan() {
        if (duringIngest == ingest.isEmpty())
            throw new ParameterException(
                    spec.commandLine(),
                    duringIngest
                            ? "--during-ingest needs a scenario after --, such as -- fanout --url ws://127.0.0.1:8081"
                            : "a scenario after -- needs --during-ingest");
        boolean limited = duration != null || duringIngest;
        try {
            return new QueryPlan(
                    urls.stream().map(QueriesCommand::rest).toList(),
                    queries,
                    new QueryPlan.Subjects(
                            rooms,
                            runName,
                            users,
                            from == null ? null : from.toInstant(),
                            to == null ? null : to.toInstant()),
                    concurrency != null ? concurrency : rate == null ? CLOSED_LOOP : OPEN_LOOP,
                    rate == null ? null : new Pacing.Rate(rate),
                    warmUp,
                    iterations != null ? iterations : limited ? 0 : ITERATIONS,
                    duration,
                    timeout,
                    !ignoreTargets,
                    seed == null ? System.nanoTime() : seed,
                    ingest);
        } catch (IllegalArgumentException nonsense) {
            throw new ParameterException(spec.commandLine(), String.valueOf(nonsense.getMessage()), nonsense);
        }
    }

    private static URI rest(String url) {
        URI uri = URI.create(url);
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (!(scheme.equals("http") || scheme.equals("https")) || uri.getHost() == null)
            throw new IllegalArgumentException("REST is given as http://host:port, not " + url);
        return uri;
    }
}

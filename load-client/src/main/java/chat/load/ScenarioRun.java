package chat.load;

import chat.load.check.Checker;
import chat.load.check.RunHistory;
import chat.load.check.Verdict;
import chat.load.driver.ChatRun;
import chat.load.driver.HistoryReader;
import chat.load.driver.Reachability;
import chat.load.driver.ServerUrl;
import chat.load.plan.Backoff;
import chat.load.plan.Numbering;
import chat.load.plan.Plan;
import chat.load.plan.RunIds;
import chat.load.report.Counters;
import chat.load.report.Environment;
import chat.load.report.ProgressLine;
import chat.load.report.RunFolder;
import chat.load.report.RunPlan;
import chat.load.report.RunRecord;
import chat.load.report.Samples;
import chat.load.report.Summary;
import chat.load.report.SummaryTable;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** One run of a plan from the first question to the exit code: reach, chat, read back, judge, report. */
final class ScenarioRun {
    static final int PASSED = 0;
    static final int FAILED = 1;
    /** Wrong usage, or nobody there: nothing was judged. */
    static final int UNUSABLE = 2;

    private static final int DEFAULT_HISTORY_PORT = 8090;

    private final Plan plan;
    private final CommonOptions options;
    private final List<String> arguments;
    private final PrintWriter out;
    private final PrintWriter err;
    private final long startMillis = System.currentTimeMillis();
    private final RunIds ids = RunIds.random(startMillis);

    /** @param arguments as typed, for the report */
    ScenarioRun(Plan plan, CommonOptions options, List<String> arguments, PrintWriter out, PrintWriter err) {
        this.plan = plan;
        this.options = options;
        this.arguments = arguments;
        this.out = out;
        this.err = err;
    }

    int run() throws InterruptedException {
        long beginNanos = System.nanoTime();
        HistoryReader history;
        try {
            reach();
            history = history();
        } catch (Unusable unusable) {
            err.println("load: " + unusable.getMessage());
            return UNUSABLE;
        }
        Counters counters = new Counters();
        ChatRun.Result result;
        RunHistory judged;
        long chattedNanos;
        try (ProgressLine progress = new ProgressLine(
                out,
                onTerminal(),
                counters,
                plan.numbering().members(),
                plan.numbering().total())) {
            progress.start();
            result = ChatRun.run(plan, ids, options.urls, options.threads, Backoff.DEFAULT, counters);
            chattedNanos = System.nanoTime();
            if (counters.joined.sum() == 0) {
                err.println("load: nobody could join: "
                        + String.join("; ", result.history().aborted()));
                return UNUSABLE;
            }
            judged = withStored(result, history, counters);
        }
        Verdict verdict = Checker.check(judged);
        long endNanos = System.nanoTime();
        RunRecord record = new RunRecord(
                ids.runName(),
                described(),
                options.urls.stream().map(ServerUrl::toString).toList(),
                Environment.here(
                        Instant.ofEpochMilli(startMillis),
                        options.urls.stream().anyMatch(ServerUrl::isLoopback),
                        LoadClient.class.getPackage().getImplementationVersion(),
                        arguments),
                verdict,
                new Summary.Seconds(
                        result.joinSeconds(),
                        result.chatSeconds(),
                        (endNanos - chattedNanos) / 1e9,
                        (endNanos - beginNanos) / 1e9),
                Summary.Counts.of(counters),
                result.latencies().histograms(),
                new Samples(),
                List.of(),
                List.of(),
                Map.of("TEXT", verdict.invoked()),
                List.of(),
                null,
                new RunRecord.PlatformMetrics.None("it was not asked"));
        out.print(SummaryTable.of(record));
        if (options.out != null) write(options.out, record);
        out.flush();
        return verdict.passed() ? PASSED : FAILED;
    }

    // Error Prone knows JDK 22, where it was never null; since 25 it is null again where nobody watches.
    @SuppressWarnings("SystemConsoleNull")
    private static boolean onTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    private void reach() throws Unusable {
        try {
            if (options.out != null) Files.createDirectories(options.out);
        } catch (IOException unwritable) {
            throw new Unusable("cannot write to " + options.out + ": " + unwritable.getMessage());
        }
        Map<ServerUrl, String> unreachable = Reachability.unreachable(options.urls);
        List<String> reasons = new ArrayList<>();
        unreachable.forEach((url, reason) -> reasons.add(url + " (" + reason + ")"));
        if (unreachable.size() == options.urls.stream().distinct().count())
            throw new Unusable("no chat server can be reached: " + String.join(", ", reasons));
        // The others take its members, until it is there.
        for (String reason : reasons)
            err.println("load: warning: cannot reach " + reason + ", going on with the others");
        err.flush();
    }

    /** Null where storage is not to be checked. */
    private @Nullable HistoryReader history() throws Unusable, InterruptedException {
        URI given = options.historyUrl;
        if (CommonOptions.HistoryUrls.NONE.equals(given)) return null;
        ServerUrl first = options.urls.getFirst();
        String scheme = first.secure() ? "https://" : "http://";
        List<URI> candidates = given != null
                ? List.of(given)
                : List.of(
                        URI.create(scheme + first.uri().getHost() + ":" + first.port()),
                        URI.create(scheme + first.uri().getHost() + ":" + DEFAULT_HISTORY_PORT));
        List<String> reasons = new ArrayList<>();
        for (URI candidate : candidates) {
            HistoryReader reader = new HistoryReader(candidate, plan);
            try {
                reader.probe(ids.roomName(0));
                return reader;
            } catch (IOException | HistoryReader.Unusable noHistory) {
                String message = noHistory.getMessage();
                reasons.add(candidate + " (" + (message == null ? "no connection" : message) + ")");
            }
        }
        throw new Unusable("stored messages cannot be read back: " + String.join(", ", reasons)
                + "; give --history-url, or --history-url none to leave storage unchecked");
    }

    private RunHistory withStored(ChatRun.Result result, @Nullable HistoryReader reader, Counters counters)
            throws InterruptedException {
        RunHistory history = result.history();
        if (reader == null) return history;
        try {
            return new RunHistory(
                    history.numbering(),
                    reader.read(history.rooms(), result.sent(), counters.stored::add),
                    history.aborted(),
                    history.violations(),
                    history.violationCount());
        } catch (IOException | HistoryReader.Unusable lost) {
            List<String> aborted = new ArrayList<>(history.aborted());
            aborted.add("stored messages could not be read back: " + lost.getMessage());
            return new RunHistory(
                    history.numbering(), history.rooms(), aborted, history.violations(), history.violationCount());
        }
    }

    private RunPlan described() {
        Numbering numbering = plan.numbering();
        String placement = plan.placement().name().toLowerCase(Locale.ROOT);
        ObjectNode tree = JsonMapper.shared()
                .createObjectNode()
                .put("scenario", plan.scenario())
                .put("rooms", numbering.rooms())
                .put("users", numbering.users())
                .put("messages", numbering.messages())
                .put("texts", numbering.total())
                .put("payload", plan.payload())
                .put("window", plan.sends().size())
                .put("connectsPerSecond", plan.connects().perSecond())
                .put("placement", placement)
                .put("seed", plan.seed())
                .put("timeoutSeconds", plan.timeout().toSeconds());
        return new RunPlan(
                plan.scenario(),
                String.format(
                        Locale.ROOT,
                        "%,d rooms x %,d users x %,d messages = %,d TEXTs",
                        numbering.rooms(),
                        numbering.users(),
                        numbering.messages(),
                        numbering.total()),
                List.of(
                        new RunPlan.Setting(
                                "window", Integer.toString(plan.sends().size())),
                        new RunPlan.Setting("payload", Integer.toString(plan.payload())),
                        new RunPlan.Setting("placement", placement),
                        new RunPlan.Setting("seed", Long.toString(plan.seed()))),
                tree);
    }

    private void write(Path folder, RunRecord record) {
        try {
            out.println("written: " + RunFolder.write(folder, record));
        } catch (IOException unwritable) {
            err.println("load: " + unwritable.getMessage());
        }
    }

    private static final class Unusable extends Exception {
        private static final long serialVersionUID = 1;

        Unusable(String message) {
            super(message);
        }
    }
}

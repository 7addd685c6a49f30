package chat.load;

import chat.load.check.Checker;
import chat.load.check.RunHistory;
import chat.load.check.Verdict;
import chat.load.diagnosis.Diagnosis;
import chat.load.diagnosis.Span;
import chat.load.dialect.Dialect;
import chat.load.dialect.Dialect.Feature;
import chat.load.driver.ChatRun;
import chat.load.driver.HistoryReader;
import chat.load.driver.Reachability;
import chat.load.driver.ServerUrl;
import chat.load.plan.Backoff;
import chat.load.plan.Numbering;
import chat.load.plan.Pacing;
import chat.load.plan.Plan;
import chat.load.plan.RunIds;
import chat.load.report.Counters;
import chat.load.report.Environment;
import chat.load.report.Finding;
import chat.load.report.MessageLines;
import chat.load.report.Percentiles;
import chat.load.report.ProgressLine;
import chat.load.report.RunFolder;
import chat.load.report.RunRecord;
import chat.load.report.RunRecord.PlatformMetrics;
import chat.load.report.Samples;
import chat.load.report.Summary;
import chat.load.report.SummaryTable;
import chat.load.sample.Sampler;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/** One run from the first question to the exit code: reach, warm up, chat, read back, judge, report. */
final class ScenarioRun {
    static final int PASSED = 0;
    static final int FAILED = 1;
    /** Wrong usage, or nobody there who could be judged. */
    static final int UNUSABLE = 2;

    /** To find the maximum: enough on the way to fill every batch, long enough for the JIT. */
    private static final Pacing PRESS = new Pacing.Window(16);

    private static final Duration PRESS_TIME = Duration.ofSeconds(10);
    private static final int PRESS_MESSAGES = 2_000;
    /** Twice the limit: half of it has to be refused. */
    private static final double OVERLOAD = 2;

    private static final int MAX_NOTES = 10;

    private final String scenario;
    private final ChatOptions options;
    private final Dialect dialect;
    private final DoubleFunction<Plan> plans;
    private final List<String> arguments;
    private final PrintWriter out;
    private final PrintWriter err;

    /**
     * @param plans the plan, given what is to be sent per second where that had to be found out, else 0
     * @param arguments as typed
     */
    ScenarioRun(
            String scenario,
            ChatOptions options,
            Dialect dialect,
            DoubleFunction<Plan> plans,
            List<String> arguments,
            PrintWriter out,
            PrintWriter err) {
        this.scenario = scenario;
        this.options = options;
        this.dialect = dialect;
        this.plans = plans;
        this.arguments = arguments;
        this.out = out;
        this.err = err;
    }

    int run() throws InterruptedException {
        try {
            return runUnlessUnusable();
        } catch (Unusable unusable) {
            err.println("load: " + unusable.getMessage());
            return UNUSABLE;
        } finally {
            out.flush();
            err.flush();
        }
    }

    private int runUnlessUnusable() throws InterruptedException, Unusable {
        Plan first = plans.apply(0);
        needs(first);
        prepareFolder();
        reach();
        Storage storage = OptionTypes.NO_HISTORY.equals(options.historyUrl)
                        || !dialect.features().contains(Feature.STORAGE)
                ? null
                : Storage.find(
                        options,
                        first,
                        RunIds.random(System.currentTimeMillis()).roomName(0));
        double rate = announced(first);
        RunRecord.WarmUp warmUp = warmUp(first);
        if (options.share != null) rate = share(first, options.share);
        Plan plan = rate > 0 ? plans.apply(rate) : first;
        return judged(plan, storage, warmUp);
    }

    /** Not every kind of server can do everything. */
    private void needs(Plan plan) throws Unusable {
        if (plan.roomsPerClient() > 1) need(Feature.SEVERAL_ROOMS, "several rooms on one connection");
        if (plan.turnover() > 0) need(Feature.LEAVE, "LEAVE");
    }

    private void need(Feature feature, String what) throws Unusable {
        if (!dialect.features().contains(feature))
            throw new Unusable(scenario + " needs " + what + ": not supported by this server (" + dialect.name() + ")");
    }

    private void prepareFolder() throws Unusable {
        Path folder = options.out;
        try {
            if (folder != null) Files.createDirectories(folder);
        } catch (IOException unwritable) {
            throw new Unusable("cannot write to " + folder + ": " + unwritable.getMessage());
        }
    }

    private void reach() throws Unusable {
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

    // What comes before the run itself.

    /** @return twice the limit that the server tells, 0 where it need not be asked */
    private double announced(Plan plan) throws InterruptedException, Unusable {
        Plan.Limit limit = plan.limit();
        if (limit == null || limit.perSecond() > 0) return 0;
        Plan ask = plan.with("ask", new Numbering(1, 1, 0), new Pacing.Window(1), null);
        ChatRun.Result result = chat(ask, new Counters(), new Samples(), System.nanoTime(), null, null, phase -> {});
        if (result.announcedRate() <= 0)
            throw new Unusable(
                    scenario
                            + ": not supported by this server: its WELCOME tells no limits.messagesPerSecond; give --limit if it has one");
        return options.rate != null ? options.rate : OVERLOAD * result.announcedRate() * plan.clients();
    }

    private RunRecord.@Nullable WarmUp warmUp(Plan plan) throws InterruptedException, Unusable {
        Numbering size = options.warmUp.size(plan.numbering());
        if (size == null) return null;
        // Its pace is a closed loop in any case: it is to run the code, not to keep time.
        Pacing pace = plan.sends() instanceof Pacing.Window ? plan.sends() : new Pacing.Window(1);
        ChatRun.Result result = before(plan.with("warm-up", size, pace, null), "warm-up");
        Verdict verdict = Checker.check(result.history());
        Map<String, Percentiles> percentiles = new LinkedHashMap<>();
        result.latencies().histograms().forEach((name, histogram) -> percentiles.put(name, Percentiles.of(histogram)));
        return new RunRecord.WarmUp(
                size.members(), verdict.invoked(), verdict.accepted(), result.chatSeconds(), percentiles);
    }

    private double share(Plan plan, double share) throws InterruptedException, Unusable {
        if (!(share > 0 && share <= 1)) throw new Unusable("a share must be above 0 and at most 1, not " + share);
        Numbering size = plan.numbering();
        Numbering press = new Numbering(size.rooms(), size.users(), PRESS_MESSAGES);
        ChatRun.Result result = before(plan.with("maximum", press, PRESS, PRESS_TIME), "maximum");
        double maximum = Checker.check(result.history()).accepted() / result.chatSeconds();
        out.printf(
                Locale.ROOT,
                "maximum      %,.0f messages/s with window 16; the run sends %,.0f/s, %.0f %% of it%n",
                maximum,
                share * maximum,
                100 * share);
        out.flush();
        return share * maximum;
    }

    /** A run before the run, not judged, but it has to work. */
    private ChatRun.Result before(Plan plan, String what) throws InterruptedException, Unusable {
        Counters counters = new Counters();
        try (ProgressLine progress = progress(counters, plan)) {
            progress.start();
            ChatRun.Result result = chat(plan, counters, new Samples(), System.nanoTime(), null, null, phase -> {});
            if (result.chatSeconds() <= 0)
                throw new Unusable("the " + what + " did not come to its end: "
                        + String.join("; ", result.history().aborted()));
            return result;
        }
    }

    private ChatRun.Result chat(
            Plan plan,
            Counters counters,
            Samples samples,
            long zeroNanos,
            @Nullable MessageLines lines,
            @Nullable HistoryReader rows,
            Consumer<String> phase)
            throws InterruptedException {
        return ChatRun.run(
                plan,
                RunIds.random(System.currentTimeMillis()),
                new ChatRun.Surroundings(
                        dialect,
                        options.urls,
                        options.threads,
                        Backoff.DEFAULT,
                        counters,
                        samples,
                        zeroNanos,
                        lines,
                        rows,
                        phase));
    }

    // The run.

    private int judged(Plan plan, @Nullable Storage storage, RunRecord.@Nullable WarmUp warmUp)
            throws InterruptedException, Unusable {
        Instant start = Instant.now();
        long zeroNanos = System.nanoTime();
        Counters counters = new Counters();
        Samples samples = new Samples();
        List<RunRecord.Phase> phases = new ArrayList<>();
        Consumer<String> phase =
                name -> phases.add(new RunRecord.Phase(name, (int) ((System.nanoTime() - zeroNanos) / 1_000_000_000)));
        ChatRun.Result result;
        RunHistory history;
        long chattedNanos;
        Sampler sampler = options.sampling.sampler(
                options.urls.stream().map(ServerUrl::uri).toList(),
                storage == null ? null : storage.base(),
                samples,
                () -> System.nanoTime() - zeroNanos);
        try (sampler;
                ProgressLine progress = progress(counters, plan);
                Lines lines = Lines.to(options.csv)) {
            sampler.start();
            progress.start();
            result = chat(
                    plan,
                    counters,
                    samples,
                    zeroNanos,
                    lines.lines,
                    storage == null ? null : storage.reader(plan),
                    phase);
            chattedNanos = System.nanoTime();
            if (counters.joined.sum() == 0)
                throw new Unusable("nobody could join: "
                        + String.join("; ", result.history().aborted()));
            history = storage == null ? result.history() : storage.readBack(result, plan, counters);
        } catch (IOException unwritable) {
            throw new Unusable("cannot write " + options.csv + ": " + unwritable.getMessage());
        }
        Verdict verdict = Checker.check(history).and(result.expectations());
        long endNanos = System.nanoTime();
        RunRecord record = new RunRecord(
                result.name(),
                PlanText.of(plan, dialect, options.urls.size()),
                options.urls.stream().map(ServerUrl::toString).toList(),
                Environment.here(
                        start,
                        options.urls.stream().anyMatch(ServerUrl::isLoopback),
                        LoadClient.class.getPackage().getImplementationVersion(),
                        arguments),
                verdict,
                new Summary.Seconds(
                        result.joinSeconds(),
                        result.chatSeconds(),
                        (endNanos - chattedNanos) / 1e9,
                        (endNanos - zeroNanos) / 1e9),
                Summary.Counts.of(counters),
                result.latencies().histograms(),
                samples,
                phases,
                result.rooms().stream()
                        .map(room -> new RunRecord.RoomThroughput(
                                room.room(), room.sent(), room.accepted(), room.deliveries(), room.seconds()))
                        .toList(),
                types(counters),
                findings(result, sampler, samples, phases),
                warmUp,
                storage == null ? new PlatformMetrics.None("storage was not asked") : storage.metrics());
        out.print(SummaryTable.of(record));
        if (options.out != null) write(options.out, record);
        return verdict.passed() ? PASSED : FAILED;
    }

    private static List<Finding> findings(
            ChatRun.Result result, Sampler sampler, Samples samples, List<RunRecord.Phase> phases) {
        List<Finding> findings = new ArrayList<>(Diagnosis.of(
                samples, chatting(phases, samples), Runtime.getRuntime().availableProcessors()));
        findings.addAll(sampler.notes());
        result.notes().stream()
                .limit(MAX_NOTES)
                .map(note -> new Finding("connections", note, Finding.Level.INFO))
                .forEach(findings::add);
        return findings;
    }

    /** The whole run, where it never came to that. */
    private static Span chatting(List<RunRecord.Phase> phases, Samples samples) {
        for (int i = 0; i < phases.size(); i++) {
            if (!phases.get(i).name().equals(RunRecord.CHAT)) continue;
            int from = phases.get(i).second();
            int to = i + 1 < phases.size() ? phases.get(i + 1).second() : samples.seconds();
            return new Span(from, Math.max(from, to));
        }
        return new Span(0, samples.seconds());
    }

    private static Map<String, Long> types(Counters counters) {
        Map<String, Long> types = new LinkedHashMap<>();
        types.put("TEXT", counters.sent.sum());
        types.put("JOIN", counters.joined.sum() + counters.rejoined.sum());
        types.put("LEAVE", counters.departed.sum());
        return types;
    }

    /** The file of all messages, where one is wanted. */
    private record Lines(@Nullable MessageLines lines) implements AutoCloseable {
        static Lines to(@Nullable Path file) throws IOException {
            return new Lines(file == null ? null : new MessageLines(file));
        }

        @Override
        public void close() throws IOException {
            if (lines != null) lines.close();
        }
    }

    private ProgressLine progress(Counters counters, Plan plan) {
        return new ProgressLine(
                out,
                onTerminal(),
                counters,
                (long) plan.numbering().users() * plan.numbering().rooms(),
                plan.numbering().total(),
                plan.duration());
    }

    // Error Prone knows JDK 22, where it was never null; since 25 it is null again where nobody watches.
    @SuppressWarnings("SystemConsoleNull")
    private static boolean onTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    private void write(Path folder, RunRecord record) {
        try {
            out.println("written: " + RunFolder.write(folder, record));
        } catch (IOException unwritable) {
            err.println("load: " + unwritable.getMessage());
        }
    }
}

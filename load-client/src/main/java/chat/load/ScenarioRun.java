package chat.load;

import chat.load.dialect.Dialect;
import chat.load.dialect.Dialect.Feature;
import chat.load.dialect.Tokens;
import chat.load.driver.Reachability;
import chat.load.driver.ServerUrl;
import chat.load.plan.Plan;
import chat.load.plan.RunIds;
import chat.load.report.RunFolder;
import chat.load.report.RunRecord;
import chat.load.report.SummaryTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/** Executes one run: checks that servers are reachable, warms up, chats, reads back, judges and reports. */
final class ScenarioRun {
    static final int PASSED = 0;
    static final int FAILED = 1;
    /** Exit code for wrong usage, or if no server can be reached. */
    static final int UNUSABLE = 2;

    private final String scenario;
    private final ChatOptions options;
    private final Dialect dialect;
    private final @Nullable Tokens tokens;
    private final DoubleFunction<Plan> plans;
    private final List<String> arguments;
    private final PrintWriter out;
    private final PrintWriter err;

    /**
     * @param plans creates the plan from the measured rate in messages per second, or from 0 if no rate was measured
     * @param arguments as typed
     */
    ScenarioRun(
            String scenario,
            ChatOptions options,
            Dialect dialect,
            @Nullable Tokens tokens,
            DoubleFunction<Plan> plans,
            List<String> arguments,
            PrintWriter out,
            PrintWriter err) {
        this.scenario = scenario;
        this.options = options;
        this.dialect = dialect;
        this.tokens = tokens;
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
                        RunIds.random(System.currentTimeMillis()).roomName(0),
                        tokens == null ? null : tokens.ofAnalyst());
        Chats chats = new Chats(options, dialect, out);
        Rehearsal rehearsal = new Rehearsal(options, chats, first, out);
        double rate = rehearsal.announced();
        RunRecord.WarmUp warmUp = rehearsal.warmUp();
        if (options.share != null) rate = rehearsal.share(options.share);
        Plan plan = rate > 0 ? plans.apply(rate) : first;
        RunRecord record = new JudgedRun(options, dialect, chats, plan, storage, arguments).run(warmUp);
        out.print(SummaryTable.of(record));
        if (options.out != null) write(options.out, record);
        return record.verdict().passed() ? PASSED : FAILED;
    }

    /** Fails if the server lacks a feature that the plan needs. */
    private void needs(Plan plan) throws Unusable {
        if (plan.roomsPerClient() > 1) need(Feature.SEVERAL_ROOMS, "several rooms on one connection");
        if (tokens != null && plan.roomsPerClient() > 1)
            throw new Unusable(
                    "a token names one user, and each room has users of its own: with --token-key a connection"
                            + " can be in one room only");
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
        // Other servers take its members until it is available.
        for (String reason : reasons)
            err.println("load: warning: cannot reach " + reason + ", going on with the others");
        err.flush();
    }

    private void write(Path folder, RunRecord record) {
        try {
            out.println("written: " + RunFolder.write(folder, record));
        } catch (IOException unwritable) {
            err.println("load: " + unwritable.getMessage());
        }
    }
}

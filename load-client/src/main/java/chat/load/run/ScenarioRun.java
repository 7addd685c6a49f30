package chat.load.run;

import chat.load.dialect.Dialect;
import chat.load.dialect.Dialect.Feature;
import chat.load.dialect.Tokens;
import chat.load.driver.Reachability;
import chat.load.driver.ServerUrl;
import chat.load.plan.Plan;
import chat.load.plan.PlanSettings;
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
public final class ScenarioRun {
    private final RunSettings settings;
    private final PlanSettings planSettings;
    private final Dialect dialect;
    private final @Nullable Tokens tokens;
    private final DoubleFunction<Plan> plans;
    private final RunObserver.Factory observers;
    private final PrintWriter out;
    private final PrintWriter err;

    /**
     * @param plans creates the plan from the measured rate in messages per second, or from 0 if no rate was measured
     */
    public ScenarioRun(
            RunSettings settings,
            PlanSettings planSettings,
            Dialect dialect,
            @Nullable Tokens tokens,
            DoubleFunction<Plan> plans,
            RunObserver.Factory observers,
            PrintWriter out,
            PrintWriter err) {
        this.settings = settings;
        this.planSettings = planSettings;
        this.dialect = dialect;
        this.tokens = tokens;
        this.plans = plans;
        this.observers = observers;
        this.out = out;
        this.err = err;
    }

    /**
     * Builds the plan of a run, and checks that this process has the memory and open files for it and for the runs
     * before it.
     *
     * @param rate the measured rate in messages per second; 0 if the settings determine the rate
     * @throws IllegalArgumentException if the settings are invalid or this process cannot run the plan
     */
    public static Plan plan(String scenario, PlanSettings settings, double rate) {
        Plan plan = settings.plan(scenario, rate);
        Resources.requireMemory(plan);
        Resources.requireOpenFiles(plan);
        settings.warmUp().plans(plan).forEach(Resources::requireMemory);
        if (settings.pace().share() != null) Resources.requireMemory(Rehearsal.maximum(plan));
        return plan;
    }

    /** @return the exit code */
    public int run() throws InterruptedException {
        try {
            return runUnlessUnusable();
        } catch (Unusable unusable) {
            err.println("load: " + unusable.getMessage());
            return ExitCodes.UNUSABLE;
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
        Storage storage = !settings.checksStorage() || !dialect.features().contains(Feature.STORAGE)
                ? null
                : Storage.find(
                        settings.urls(),
                        settings.historyUrl(),
                        first,
                        RunIds.random(System.currentTimeMillis()).roomName(0),
                        tokens == null ? null : tokens.ofAnalyst());
        PlanRunner runner = new PlanRunner(settings, dialect, out);
        Rehearsal rehearsal = new Rehearsal(planSettings, runner, first, out);
        double rate = rehearsal.announced();
        RunRecord.WarmUp warmUp = rehearsal.warmUp();
        Double share = planSettings.pace().share();
        if (share != null) rate = rehearsal.share(share);
        Plan plan = rate > 0 ? plans.apply(rate) : first;
        RunRecord record = new JudgedRun(settings, dialect, runner, plan, storage, observers).run(warmUp);
        out.print(SummaryTable.of(record));
        Path folder = settings.out();
        if (folder != null) write(folder, record);
        return record.verdict().passed() ? ExitCodes.PASSED : ExitCodes.FAILED;
    }

    /** Fails if the server lacks a feature that the plan needs. */
    private void needs(Plan plan) throws Unusable {
        if (plan.roomsPerClient() > 1) need(plan, Feature.SEVERAL_ROOMS, "several rooms on one connection");
        if (tokens != null && plan.roomsPerClient() > 1)
            throw new Unusable(
                    "a token names one user, and each room has users of its own: with --token-key a connection"
                            + " can be in one room only");
        if (plan.traffic().turnover() > 0) need(plan, Feature.LEAVE, "LEAVE");
    }

    private void need(Plan plan, Feature feature, String what) throws Unusable {
        if (!dialect.features().contains(feature))
            throw new Unusable(
                    plan.scenario() + " needs " + what + ": not supported by this server (" + dialect.name() + ")");
    }

    private void prepareFolder() throws Unusable {
        Path folder = settings.out();
        try {
            if (folder != null) Files.createDirectories(folder);
        } catch (IOException unwritable) {
            throw new Unusable("cannot write to " + folder + ": " + unwritable.getMessage());
        }
    }

    private void reach() throws Unusable {
        Map<ServerUrl, String> unreachable = Reachability.unreachable(settings.urls());
        List<String> reasons = new ArrayList<>();
        unreachable.forEach((url, reason) -> reasons.add(url + " (" + reason + ")"));
        if (unreachable.size() == settings.urls().stream().distinct().count())
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

package chat.load.lab.matrix;

import chat.load.lab.child.Child;
import chat.load.lab.child.Children;
import chat.load.lab.child.ClientRun;
import chat.load.lab.child.Launch;
import chat.load.lab.matrix.Readiness.NotReady;
import chat.load.lab.matrix.Result.Outcome;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Executes a matrix, one run after the other: starts the platform, waits until it answers, warms up, runs the load
 * and stops the platform. A failed run does not end the others. Ctrl-C stops the platform and the load client before
 * this JVM ends.
 */
public final class MatrixRun {
    private static final Duration ALREADY_THERE = Duration.ofSeconds(10);
    private static final String DATA = "data";

    private final MatrixPlan plan;
    private final List<String> client;
    private final Consumer<String> says;

    /**
     * @param client how to start the load client
     * @param says receives a line before and after each run
     */
    public MatrixRun(MatrixPlan plan, List<String> client, Consumer<String> says) {
        this.plan = plan;
        this.client = List.copyOf(client);
        this.says = says;
    }

    /** The folder for the platform's data of a run, as an absolute path. */
    static Path data(Path folder) {
        return folder.resolve(DATA).toAbsolutePath();
    }

    /**
     * Executes all runs. The result files are written after each run, so that finished results are not lost.
     *
     * @return results in the order of the runs; fewer than planned if the matrix was stopped
     * @throws IOException if results cannot be written
     */
    public List<Result> run() throws IOException, InterruptedException {
        List<Result> results = new ArrayList<>();
        Set<Cell> warm = new HashSet<>();
        try (Children children = new Children();
                Readiness readiness = new Readiness()) {
            for (Run run : plan.runs()) {
                says.accept(String.format(
                        Locale.ROOT,
                        "[%d/%d] %s, repeat %d",
                        run.number(),
                        run.runs(),
                        run.cell().name(),
                        run.repeat()));
                boolean cold = warm.add(run.cell()) || run.cell().platform() != null;
                Result result = one(run, cold ? plan.warmUps() : 0, children, readiness);
                // The matrix was stopped: this is not a result.
                if (children.isClosed()) break;
                results.add(result);
                says.accept(ResultTable.line(result));
                ResultFiles.write(plan, results);
            }
        }
        return results;
    }

    private Result one(Run run, int warmUps, Children children, Readiness readiness) throws InterruptedException {
        long begin = System.nanoTime();
        Path folder = run.folder(plan.out());
        Path data = data(folder);
        Child platform = null;
        Attempt attempt;
        try {
            Files.createDirectories(folder);
            platform = start(run.cell(), folder, data, children, readiness);
            for (int i = 1; i <= warmUps; i++) warmUp(run, folder, folder.resolve("warm-up-" + i), children);
            attempt = load(run, folder, children);
            if (platform != null && !platform.isAlive())
                attempt = attempt.after("the platform ended meanwhile with code " + platform.exitCode());
        } catch (NotReady | IOException failed) {
            attempt = new Attempt(Outcome.NOT_JUDGED, -1, String.valueOf(failed.getMessage()), null);
        } finally {
            if (platform != null) children.stop(platform);
            if (!plan.keepData()) delete(data);
        }
        return new Result(
                run,
                folder,
                attempt.outcome(),
                attempt.exitCode(),
                attempt.reason(),
                (System.nanoTime() - begin) / 1e9,
                attempt.figures());
    }

    private @Nullable Child start(Cell cell, Path folder, Path data, Children children, Readiness readiness)
            throws IOException, NotReady, InterruptedException {
        Platform platform = cell.platform();
        if (platform == null) {
            readiness.await(cell.ready(), null, ALREADY_THERE);
            return null;
        }
        readiness.requireNobody(cell.ready());
        Child child = children.start(new Launch(
                platform.commandIn(data),
                platform.environment(),
                folder.resolve("platform.log"),
                plan.limits().stop()));
        try {
            readiness.await(cell.ready(), child, plan.limits().start());
            return child;
        } catch (NotReady | InterruptedException failed) {
            children.stop(child);
            throw failed;
        }
    }

    /** Ignores the result: a fault will also show in the measured run. */
    private void warmUp(Run run, Path folder, Path warmUp, Children children) throws IOException, InterruptedException {
        var unused = ClientRun.start(children, client, run.cell().argumentsIn(data(folder)), warmUp)
                .await(plan.limits().run());
        // Under its usual name it would count as another run when results are read.
        Path summary = warmUp.resolve("summary.json");
        if (Files.exists(summary)) Files.move(summary, warmUp.resolve("warm-up.json"));
    }

    private record Attempt(
            Outcome outcome,
            int exitCode,
            String reason,
            @Nullable Figures figures) {
        Attempt after(String accident) {
            return new Attempt(
                    outcome == Outcome.PASS ? Outcome.FAIL : outcome,
                    exitCode,
                    reason.isEmpty() ? accident : reason + "; " + accident,
                    figures);
        }
    }

    private Attempt load(Run run, Path folder, Children children) throws IOException, InterruptedException {
        ClientRun.Ended ended = ClientRun.start(children, client, run.cell().argumentsIn(data(folder)), folder)
                .await(plan.limits().run());
        if (ended == null)
            return new Attempt(
                    Outcome.NOT_JUDGED,
                    -1,
                    "not done within " + plan.limits().run().toSeconds() + " s",
                    null);
        JsonNode summary = ended.summary();
        if (summary != null) PlanFile.add(folder, summary, run.cell().values());
        Figures figures = summary == null ? null : Figures.of(summary);
        if (ended.exitCode() == 0 && figures != null) return new Attempt(Outcome.PASS, 0, "", figures);
        if (ended.exitCode() == 1 && figures != null) {
            String broken = String.join(", ", figures.breaches().keySet());
            return new Attempt(Outcome.FAIL, 1, broken.isEmpty() ? "exit code 1" : "broken: " + broken, figures);
        }
        return new Attempt(
                Outcome.NOT_JUDGED,
                ended.exitCode(),
                "exit code " + ended.exitCode() + (figures == null ? ", no summary" : "")
                        + (ended.lastLines().isEmpty()
                                ? ""
                                : ": " + ended.lastLines().getLast()),
                figures);
    }

    private void delete(Path data) {
        if (!Files.exists(data)) return;
        try {
            Files.walkFileTree(data, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                        throws IOException {
                    if (failure != null) throw failure;
                    Files.delete(directory);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException left) {
            says.accept("could not delete " + left.getMessage());
        }
    }
}

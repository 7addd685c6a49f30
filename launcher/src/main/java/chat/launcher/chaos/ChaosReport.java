package chat.launcher.chaos;

import chat.load.report.Page;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.List;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes {@code chaos.json} and {@code chaos.html} with the same figures. */
public final class ChaosReport {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    private static final List<String> SCRIPTS = List.of("dom.js", "format.js", "/chat/launcher/chaos/chaos.js");

    private ChaosReport() {}

    /** The result as JSON; times are seconds. */
    private record Report(
            boolean passed,
            String startedAt,
            long seed,
            int rate,
            int brokers,
            String machine,
            Counts sums,
            List<String> complaints,
            List<Row> faults) {}

    /**
     * One fault.
     *
     * @param load the load's own report, relative to the directory
     */
    private record Row(
            String id,
            String name,
            String what,
            boolean passed,
            Counts counts,
            double silence,
            double recovery,
            double history,
            double members,
            long rejections,
            List<String> complaints,
            String load) {
        static Row of(Path directory, Outcome outcome) {
            Outcome.Times times = outcome.times();
            return new Row(
                    outcome.fault().id(),
                    outcome.fault().name(),
                    outcome.fault().what(),
                    outcome.passed(),
                    outcome.counts(),
                    times.silence().toMillis() / 1000.0,
                    times.recovery().toMillis() / 1000.0,
                    times.behind().toMillis() / 1000.0,
                    times.connected().toMillis() / 1000.0,
                    times.refusals(),
                    outcome.complaints(),
                    directory.relativize(outcome.folder()) + "/report.html");
        }
    }

    /**
     * Replaces the files of an earlier run.
     *
     * @param directory contains the folders of the loads
     * @return the page
     */
    public static Path write(Path directory, ChaosResult result) throws IOException {
        Report report = new Report(
                result.passed(),
                result.startedAt().truncatedTo(ChronoUnit.SECONDS).toString(),
                result.seed(),
                result.rate(),
                result.brokers(),
                Runtime.getRuntime().availableProcessors() + " processors, " + System.getProperty("os.name") + " "
                        + System.getProperty("os.version") + ", JDK " + Runtime.version(),
                result.sums(),
                result.complaints(),
                result.outcomes().stream()
                        .map(outcome -> Row.of(directory, outcome))
                        .toList());
        String json = JSON.writeValueAsString(report);
        Files.writeString(directory.resolve("chaos.json"), json);
        Path page = directory.resolve("chaos.html");
        Files.writeString(page, new Page("chaos: " + (result.passed() ? "PASS" : "FAIL"), SCRIPTS, json).html());
        return page;
    }
}

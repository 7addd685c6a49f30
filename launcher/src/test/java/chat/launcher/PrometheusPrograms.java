package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Finds Prometheus and promtool in the system or in {@code CONFAB_PROMETHEUS_HOME}. */
final class PrometheusPrograms {
    /** All tests of the alerts take 22 s of CPU time; the timeout only ends a hanging program. */
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private PrometheusPrograms() {}

    static Path find(String program) {
        String home = System.getenv("CONFAB_PROMETHEUS_HOME");
        Stream<String> places =
                home == null ? Stream.of("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin") : Stream.of(home);
        return places.map(place -> Path.of(place, program))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new AssertionError(program + " is not installed: apt-get install prometheus"));
    }

    /** Fails with promtool's output if promtool fails. */
    static void promtool(Path log, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(find("promtool").toString());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = process.waitFor(LIMIT);
        if (!ended) process.destroyForcibly().waitFor();
        assertThat(ended).as("ends within %s", LIMIT).isTrue();
        assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    }
}

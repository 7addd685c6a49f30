package chat.kit.management.stop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrderlyStopTest {
    @Test
    void orderlyStopExitsWithZero() throws Exception {
        assertThat(ended()).isEqualTo(new Ended(List.of("up", "stopped"), 0));
    }

    @Test
    void stopExitsWithTheCodeOfTheExitCodeGenerators() throws Exception {
        assertThat(ended("0")).isEqualTo(new Ended(List.of("up", "stopped"), 0));
        assertThat(ended("3")).isEqualTo(new Ended(List.of("up", "stopped"), 3));
    }

    @ParameterizedTest
    @ValueSource(strings = {StoppedProgram.STOPPING_FAILS, StoppedProgram.NOBODY_CAN_TELL})
    void failedStopLogsTheReasonAndExitsWithOne(String how) throws Exception {
        Ended ended = ended(how);

        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.said()).startsWith("up", "stopped").anyMatch(line -> line.contains(how));
    }

    @Test
    void jvmWithoutSignalHandlingExitsAsByDefault() throws Exception {
        assertThat(endedOf(List.of("-Xrs")).exitCode()).isEqualTo(143);
    }

    private record Ended(List<String> said, int exitCode) {}

    private static Ended ended(String... arguments) throws Exception {
        return endedOf(List.of(), arguments);
    }

    private static Ended endedOf(List<String> options, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), StoppedProgram.class.getName()));
        command.addAll(List.of(arguments));
        Process program = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = program.inputReader()) {
            List<String> said = new ArrayList<>();
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                said.add(line);
                if (line.equals("up"))
                    program.toHandle().destroy(); // SIGTERM; Process.destroy would also close its output
            }
            return new Ended(said, program.waitFor());
        } finally {
            program.destroyForcibly();
        }
    }
}

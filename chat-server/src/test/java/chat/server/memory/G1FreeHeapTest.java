package chat.server.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In JVMs of its own, which are started with the options that matter here. */
class G1FreeHeapTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Prints the options before, while free heap is given back, and after; or that this JVM does not do that. */
    static final class Program {
        private static byte[][] live = new byte[20_000][];

        private Program() {}

        public static void main(String[] arguments) {
            FreeHeap heap = new G1FreeHeap();
            if (!heap.isOurs()) {
                System.out.println("left alone");
                return;
            }
            fill();
            tell();
            long grown = committed();
            heap.giveBack();
            tell();
            await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(1)).until(() -> {
                heap.goOn();
                return options().endsWith(" 0");
            });
            tell();
            System.out.println(committed() < grown / 4 ? "given back" : committed() + " of " + grown + " bytes");
            for (int second = 1; second <= 60; second++) heap.goOn();
            tell();
            heap.keep();
            tell();
        }

        /** 200 MB, and a tenth of them live, a little everywhere: none of G1's regions is free of it. */
        private static void fill() {
            for (int i = 0; i < live.length; i++) live[i] = new byte[10_000];
            System.gc(); // all are old now
            for (int i = 0; i < live.length; i++) if (i % 10 > 0) live[i] = new byte[0];
        }

        private static long committed() {
            return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
        }

        private static void tell() {
            System.out.println(options());
        }

        private static String options() {
            HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            return Stream.of("MinHeapFreeRatio", "MaxHeapFreeRatio", "G1PeriodicGCInterval")
                    .map(name -> vm.getVMOption(name).getValue())
                    .collect(Collectors.joining(" "));
        }
    }

    private static List<String> run(String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx512m"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Program.class.getName()));
        ProcessBuilder program = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        program.environment().keySet().removeAll(Set.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"));
        Process process = program.start();
        try (var output = process.inputReader()) {
            assertThat(process.waitFor(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue(); // it says little
            assertThat(process.exitValue()).isZero();
            return output.lines().toList();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void whatIsFreeAmongWhatLivesIsGivenBackUntilTheJvmIsAsItWas() throws Exception {
        assertThat(run("-XX:+UseG1GC"))
                .containsExactly("40 70 0", "5 10 1000", "5 10 0", "given back", "5 10 1000", "40 70 0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-XX:+UseG1GC -XX:MinHeapFreeRatio=20",
                "-XX:+UseG1GC -XX:MaxHeapFreeRatio=70",
                "-XX:+UseG1GC -XX:G1PeriodicGCInterval=60000",
                "-XX:+UseG1GC -Xms512m",
                "-XX:+UseSerialGC",
                "-XX:+UseParallelGC",
                "-XX:+UseZGC"
            })
    void whatWasDecidedAtTheStartIsLeftAlone(String options) throws Exception {
        assertThat(run(options.split(" "))).containsExactly("left alone");
    }
}

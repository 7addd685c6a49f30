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
    private static final int MB = 1 << 20;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Prints the options before, while free heap is given back, and after; or that this JVM does not do that. */
    static final class Program {
        private static byte[][] live = new byte[16][];

        private Program() {}

        public static void main(String[] arguments) {
            fill(); // garbage beside what lives: the heap grows
            FreeHeap heap = new G1FreeHeap();
            if (!heap.isOurs()) {
                System.out.println("left alone");
                return;
            }
            tell();
            long grown = committed();
            heap.giveBack();
            tell();
            await().atMost(PATIENCE).until(() -> committed() < grown / 2); // by itself
            heap.goOn();
            tell();
            for (int second = 1; second <= 60; second++) heap.goOn();
            tell();
            heap.keep();
            tell();
        }

        private static void fill() {
            List<byte[]> peak = new ArrayList<>();
            for (int i = 0; i < 200; i++) peak.add(new byte[MB]);
            for (int i = 0; i < live.length; i++) live[i] = peak.get(i);
        }

        private static long committed() {
            return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
        }

        private static void tell() {
            HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            System.out.println(Stream.of("MinHeapFreeRatio", "MaxHeapFreeRatio", "G1PeriodicGCInterval")
                    .map(name -> vm.getVMOption(name).getValue())
                    .collect(Collectors.joining(" ")));
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
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue(); // it says little
            assertThat(process.exitValue()).isZero();
            return output.lines().toList();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void aSmallFreeHeapIsKeptUntilTheJvmIsAsItWas() throws Exception {
        assertThat(run("-XX:+UseG1GC")).containsExactly("40 70 0", "10 30 1000", "10 30 0", "10 30 1000", "40 70 0");
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

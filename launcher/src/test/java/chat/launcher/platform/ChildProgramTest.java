package chat.launcher.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChildProgramTest {
    private static final Pattern LARGEST_HEAP = Pattern.compile("size_t MaxHeapSize += (\\d+)");

    @ParameterizedTest
    @CsvSource({"'', 1024", "-Dx=y, 1024", "-Xmx256m, 256", "-Dx=y -XX:MaxHeapSize=512m, 512"})
    void heapIsTheUsersOrOneGigabyte(String javaOptions, long megabytes) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ChildProgram.heap(javaOptions));
        command.addAll(List.of("-XX:+PrintFlagsFinal", "-version"));
        ProcessBuilder java = new ProcessBuilder(command);
        java.environment().put("JDK_JAVA_OPTIONS", javaOptions);
        Process process = java.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (BufferedReader said = process.inputReader()) {
            Matcher heap = LARGEST_HEAP.matcher(said.readAllAsString());
            assertThat(heap.find()).isTrue();
            assertThat(Long.parseLong(heap.group(1)) >> 20).isEqualTo(megabytes);
        }
    }
}

package chat.load.lab.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
class ChildrenTest {
    private static final Duration GRACE = Duration.ofMillis(300);

    @TempDir
    private Path folder;

    @Test
    void outputOfAChildIsInItsLog() throws Exception {
        try (Children children = new Children()) {
            Child child = children.start(launch("echo one; echo two >&2; echo $SAID; exit 3"));
            assertThat(child.waitFor(Duration.ofSeconds(30))).isTrue();
            assertThat(child.exitCode()).isEqualTo(3);
            assertThat(child.lastLines(2)).containsExactly("two", "three");
        }
    }

    @Test
    void aProgramThatIsNotThereSaysSo() {
        try (Children children = new Children()) {
            Launch nothing = new Launch(List.of("/no/such/program"), Map.of(), folder.resolve("log"), GRACE);
            assertThatThrownBy(() -> children.start(nothing))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("/no/such/program");
        }
    }

    @Test
    void closingStopsAChildAndWhatItStarted() throws Exception {
        Child child;
        List<ProcessHandle> family;
        try (Children children = new Children()) {
            child = children.start(launch("sleep 1000 & sleep 1000; true"));
            family = awaitDescendants(child, 2);
        }
        assertThat(child.isAlive()).isFalse();
        assertThat(family).noneMatch(ProcessHandle::isAlive);
    }

    @Test
    void aChildThatIgnoresTheSignalIsKilled() throws Exception {
        try (Children children = new Children()) {
            Child child = children.start(launch("trap '' TERM; sleep 1000 & wait; sleep 1000"));
            awaitDescendants(child, 1);
            children.stop(child);
            assertThat(child.isAlive()).isFalse();
        }
    }

    @Test
    void descendantsOfACrashedChildAreStopped() throws Exception {
        try (Children children = new Children()) {
            Child child = children.start(launch("sleep 1000 & sleep 1000"));
            List<ProcessHandle> family = awaitDescendants(child, 2);
            assertThat(child.isAlive()).isTrue();
            ProcessHandle.of(child.pid()).orElseThrow().destroyForcibly();
            assertThat(child.waitFor(Duration.ofSeconds(30))).isTrue();
            children.stop(child);
            assertThat(family).noneMatch(ProcessHandle::isAlive);
        }
    }

    @Test
    void childIsNotStartedAfterClose() {
        Children children = new Children();
        children.close();
        assertThat(children.isClosed()).isTrue();
        assertThatThrownBy(() -> children.start(launch("true"))).hasMessage("stopping");
    }

    @Test
    void theEndOfTheParentByASignalLeavesNoChildren() throws Exception {
        Process parent = new ProcessBuilder(parent()).start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(parent.getInputStream(), StandardCharsets.UTF_8))) {
            ProcessHandle child =
                    ProcessHandle.of(Long.parseLong(said.readLine())).orElseThrow();
            parent.destroy();
            assertThat(parent.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(child.isAlive()).isFalse();
        } finally {
            parent.destroyForcibly();
        }
    }

    private List<String> parent() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Parent.class.getName(),
                folder.resolve("log").toString());
    }

    /** Starts a child, says which, and waits for its own end. */
    static final class Parent {
        private Parent() {}

        public static void main(String[] arguments) throws Exception {
            Children children = new Children();
            Child child = children.start(new Launch(List.of("sleep", "1000"), Map.of(), Path.of(arguments[0]), GRACE));
            System.out.println(child.pid());
            var unused = child.waitFor(Duration.ofMinutes(1));
        }
    }

    private Launch launch(String script) {
        return new Launch(List.of("sh", "-c", script), Map.of("SAID", "three"), folder.resolve("log"), GRACE);
    }

    private static List<ProcessHandle> awaitDescendants(Child child, int count) throws InterruptedException {
        ProcessHandle handle = ProcessHandle.of(child.pid()).orElseThrow();
        while (true) {
            List<ProcessHandle> family = handle.descendants().toList();
            if (family.size() >= count) return family;
            assertThat(child.waitFor(Duration.ofMillis(10))).isFalse();
        }
    }
}

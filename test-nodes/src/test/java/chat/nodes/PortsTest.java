package chat.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PortsTest {
    @Test
    void portsAreUniqueAndNotEphemeral() {
        Set<Integer> ports = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            ports.add(Ports.free());
        }
        assertThat(ports).hasSize(100).allSatisfy(port -> assertThat(port).isBetween(12_000, 30_999));
    }

    @Test
    void consecutivePortsAreNotReused() {
        Set<Integer> given = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            int first = Ports.freeRow(3);
            for (int port = first; port < first + 3; port++)
                assertThat(given.add(port)).isTrue();
            assertThat(given.add(Ports.free())).isTrue();
        }
    }

    /** As JVMs that run tests in parallel do. */
    @Test
    void concurrentJvmsHaveSeparateRanges() throws Exception {
        Process one = chooser();
        Process other = chooser();
        List<Integer> ofOne = chosen(one);
        List<Integer> ofOther = chosen(other);
        assertThat(ofOne).hasSize(100);
        assertThat(ofOther).hasSize(100);
        // If ranges overlapped, not all ports of one would be above or below those of another.
        assertThat(Collections.max(ofOne) < Collections.min(ofOther)
                        || Collections.min(ofOne) > Collections.max(ofOther))
                .as("%s and %s", ofOne, ofOther)
                .isTrue();
        one.getOutputStream().close();
        other.getOutputStream().close();
    }

    private static Process chooser() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dconfab.ports.shared=true",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Chooser.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static List<Integer> chosen(Process chooser) throws IOException {
        return Stream.of(chooser.inputReader(StandardCharsets.US_ASCII)
                        .readLine()
                        .split(" ", -1))
                .map(Integer::valueOf)
                .toList();
    }

    /** Prints ports and runs until its input ends. */
    static final class Chooser {
        private Chooser() {}

        public static void main(String[] arguments) throws IOException {
            System.out.println(IntStream.range(0, 100)
                    .mapToObj(i -> Integer.toString(Ports.free()))
                    .collect(Collectors.joining(" ")));
            System.in.readAllBytes();
        }
    }

    @Test
    void portIsFreeUntilAServerListens() throws IOException {
        int port = Ports.free();
        assertThat(Ports.isFree(port)).isTrue();
        assertThat(Ports.accepts(port)).isFalse();
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(Ports.address(port));
            assertThat(Ports.isFree(port)).isFalse();
            assertThat(Ports.accepts(port)).isTrue();
        }
    }
}

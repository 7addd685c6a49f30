package chat.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PortsTest {
    @Test
    void neverTheSamePortTwiceAndNoneThatOutgoingConnectionsUse() {
        Set<Integer> ports = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            ports.add(Ports.free());
        }
        assertThat(ports).hasSize(100).allSatisfy(port -> assertThat(port).isBetween(12_000, 31_999));
    }

    /** As the JVMs that run tests beside each other do. */
    @Test
    void jvmsThatChooseAtTheSameTimeHaveRangesOfTheirOwn() throws Exception {
        Set<Integer> own = new HashSet<>();
        for (int i = 0; i < 100; i++) own.add(Ports.free());
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dconfab.ports.shared=true",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Chooser.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String[] others = new String(other.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
                .strip()
                .split(" ", -1);
        assertThat(others).hasSize(100);
        int slice = 2_500;
        assertThat(Stream.of(others).map(port -> (Integer.parseInt(port) - 12_000) / slice))
                .containsOnly((Integer.parseInt(others[0]) - 12_000) / slice)
                .doesNotContainAnyElementsOf(
                        own.stream().map(port -> (port - 12_000) / slice).toList());
    }

    /** Prints ports. */
    static final class Chooser {
        private Chooser() {}

        public static void main(String[] arguments) {
            System.out.println(IntStream.range(0, 100)
                    .mapToObj(i -> Integer.toString(Ports.free()))
                    .collect(Collectors.joining(" ")));
        }
    }

    @Test
    void portIsFreeUntilSomebodyListens() throws IOException {
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

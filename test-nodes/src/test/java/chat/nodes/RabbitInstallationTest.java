package chat.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RabbitInstallationTest {
    @TempDir
    Path root;

    @Test
    void missingRabbitReportsSearchedDirectoriesAndPackages() {
        assertThatThrownBy(
                        () -> RabbitInstallation.find(Map.of("PATH", "/nowhere/bin"), List.of(Path.of("/usual/bin"))))
                .isInstanceOf(NodeException.class)
                .hasMessageContaining("RabbitMQ is not installed")
                .hasMessageContaining("/usual/bin, /nowhere/bin")
                .hasMessageContaining("apt-get install rabbitmq-server")
                .hasMessageContaining("brew install rabbitmq")
                .hasMessageContaining("https://www.rabbitmq.com/docs/download");
    }

    @Test
    void missingErlangIsReported() throws IOException {
        Path bin = programs("bin", "rabbitmq-server", "rabbitmqctl");
        assertThatThrownBy(() -> RabbitInstallation.find(Map.of("PATH", bin.toString()), List.of()))
                .isInstanceOf(NodeException.class)
                .hasMessageContaining("Erlang is not installed");
    }

    @Test
    void wrapperThatChangesTheUserIsSkipped() throws IOException {
        Path wrappers = programs("sbin", "rabbitmq-script-wrapper", "rabbitmqctl");
        Files.createSymbolicLink(wrappers.resolve("rabbitmq-server"), wrappers.resolve("rabbitmq-script-wrapper"));
        Path scripts = programs("lib", "rabbitmq-server", "rabbitmqctl", "epmd");

        RabbitInstallation found = RabbitInstallation.find(Map.of("PATH", wrappers + ":" + scripts), List.of(wrappers));

        assertThat(found.server()).isEqualTo(scripts.resolve("rabbitmq-server"));
    }

    @Test
    void configuredHomeIsTheOnlyCandidate() throws IOException {
        Path usual = programs("usual", "rabbitmq-server", "rabbitmqctl", "epmd");
        Path sbin = programs("home/sbin", "rabbitmq-server", "rabbitmqctl");
        String home = root.resolve("home").toString();

        assertThat(RabbitInstallation.find(Map.of("CONFAB_RABBITMQ_HOME", home), List.of(usual)))
                .isEqualTo(new RabbitInstallation(
                        sbin.resolve("rabbitmq-server"), sbin.resolve("rabbitmqctl"), usual.resolve("epmd")));
        assertThatThrownBy(() ->
                        RabbitInstallation.find(Map.of("CONFAB_RABBITMQ_HOME", home + "/mistyped"), List.of(usual)))
                .isInstanceOf(NodeException.class)
                .hasMessageContaining("mistyped");
    }

    @Test
    void portMapperInsideTheErlangRuntimeIsFound() throws IOException {
        Path bin = programs("bin", "rabbitmq-server", "rabbitmqctl");
        Path erlang = programs("erlang/bin", "erl");
        Path runtime = programs("erlang/erts-15.2/bin", "epmd");
        Files.createSymbolicLink(bin.resolve("erl"), erlang.resolve("erl"));

        assertThat(RabbitInstallation.find(Map.of("PATH", bin.toString()), List.of())
                        .epmd())
                .isEqualTo(runtime.resolve("epmd").toRealPath());
    }

    private Path programs(String directory, String... names) throws IOException {
        Path path = Files.createDirectories(root.resolve(directory));
        for (String name : names) {
            assertThat(Files.createFile(path.resolve(name)).toFile().setExecutable(true))
                    .isTrue();
        }
        return path;
    }
}

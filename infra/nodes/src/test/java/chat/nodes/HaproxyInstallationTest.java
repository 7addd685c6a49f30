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

class HaproxyInstallationTest {
    @TempDir
    Path root;

    @Test
    void thePathComesBeforeTheUsualPlaces() throws IOException {
        Path usual = program("usual");
        Path own = program("own");
        assertThat(HaproxyInstallation.find(
                        Map.of("PATH", "/nowhere:" + root.resolve("own")), List.of(root.resolve("usual"))))
                .contains(own);
        assertThat(HaproxyInstallation.find(Map.of("PATH", "/nowhere"), List.of(root.resolve("usual"))))
                .contains(usual);
    }

    @Test
    void withoutOneNothingIsFound() {
        assertThat(HaproxyInstallation.find(Map.of("PATH", "/nowhere"), List.of(root)))
                .isEmpty();
    }

    @Test
    void aNamedProgramIsTheOnlyOneLookedAt() throws IOException {
        program("own");
        Path named = program("named");
        assertThat(HaproxyInstallation.find(
                        Map.of(
                                "CONFAB_HAPROXY",
                                named.toString(),
                                "PATH",
                                root.resolve("own").toString()),
                        List.of()))
                .contains(named);
        assertThatThrownBy(() -> HaproxyInstallation.find(
                        Map.of(
                                "CONFAB_HAPROXY",
                                named + "-mistyped",
                                "PATH",
                                root.resolve("own").toString()),
                        List.of()))
                .isInstanceOf(NodeException.class)
                .hasMessageContaining("mistyped");
    }

    private Path program(String directory) throws IOException {
        Path program = Files.createDirectories(root.resolve(directory)).resolve("haproxy");
        assertThat(Files.createFile(program).toFile().setExecutable(true)).isTrue();
        return program;
    }
}

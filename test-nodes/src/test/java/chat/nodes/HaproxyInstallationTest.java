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
    void pathIsSearchedBeforeTheUsualDirectories() throws IOException {
        Path usual = program("usual");
        Path own = program("own");
        assertThat(HaproxyInstallation.find(
                        Map.of("PATH", "/nowhere:" + root.resolve("own")), List.of(root.resolve("usual"))))
                .contains(own);
        assertThat(HaproxyInstallation.find(Map.of("PATH", "/nowhere"), List.of(root.resolve("usual"))))
                .contains(usual);
    }

    @Test
    void missingProgramIsNotFound() {
        assertThat(HaproxyInstallation.find(Map.of("PATH", "/nowhere"), List.of(root)))
                .isEmpty();
    }

    @Test
    void configuredProgramIsTheOnlyCandidate() throws IOException {
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

    @Test
    void oldVersionIsRejected() throws IOException {
        Path program = program("old");
        Files.writeString(program, "#!/bin/sh\necho 'HAProxy version 2.4.24-0ubuntu0.22.04.1 2023/10/31'\n");
        assertThat(HaproxyInstallation.tooOld(program))
                .hasValueSatisfying(reason -> assertThat(reason).contains("HAProxy 2.4, and 2.6 or later is needed"));

        for (String good :
                List.of("HAProxy version 2.6.12-1+deb12u4", "HAProxy version 3.0.0-1", "HA-Proxy version 10.1.0")) {
            Files.writeString(program, "#!/bin/sh\necho '" + good + "'\n");
            assertThat(HaproxyInstallation.tooOld(program)).as(good).isEmpty();
        }

        Files.writeString(program, "#!/bin/sh\necho hello\n");
        assertThatThrownBy(() -> HaproxyInstallation.tooOld(program))
                .isInstanceOf(NodeException.class)
                .hasMessageContaining("not HAProxy")
                .hasMessageContaining("hello");
    }

    private Path program(String directory) throws IOException {
        Path program = Files.createDirectories(root.resolve(directory)).resolve("haproxy");
        assertThat(Files.createFile(program).toFile().setExecutable(true)).isTrue();
        return program;
    }
}

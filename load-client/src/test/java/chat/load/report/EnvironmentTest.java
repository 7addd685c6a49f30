package chat.load.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnvironmentTest {
    @Test
    void describesThisMachine() {
        Environment here = Environment.here(Instant.parse("2026-11-21T03:14:15.926Z"), true, "1.0", List.of("fanout"));
        assertThat(here.startedAt()).isEqualTo("2026-11-21T03:14:15Z");
        assertThat(here.cores()).isPositive();
        assertThat(here.memoryBytes()).isPositive();
        assertThat(here.jdk()).contains(System.getProperty("java.vm.name"));
        assertThat(here.commandLine()).isEqualTo("load fanout");
    }

    @Test
    void theCommandLineCanBeTypedAgainAndTellsNoPassword() {
        assertThat(Environment.commandLine(
                        List.of("fanout", "--postgres", "postgres://me:secret@host/db", "--out", "my runs/a")))
                .isEqualTo("load fanout --postgres 'postgres://me:***@host/db' --out 'my runs/a'");
        assertThat(Environment.commandLine(
                        List.of("--postgres-url", "jdbc:postgresql://h/d?user=me&password=secret&ssl=on")))
                .isEqualTo("load --postgres-url 'jdbc:postgresql://h/d?user=me&password=***&ssl=on'");
        assertThat(Environment.commandLine(List.of("--name", "it's"))).isEqualTo("load --name 'it'\\''s'");
    }

    @Test
    void namesProcessorAndSystem() {
        assertThat(Environment.cpu(List.of("processor\t: 0", "model name\t: AMD EPYC 7B13", "model name\t: other")))
                .isEqualTo("AMD EPYC 7B13");
        assertThat(Environment.cpu(List.of())).isNull();
        assertThat(Environment.os(List.of("ID=debian", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"")))
                .isEqualTo("Debian GNU/Linux 12 (bookworm)");
    }

    @Test
    void outsideOfARepositoryThereIsNoCommit(@TempDir Path folder) {
        assertThat(Environment.commit(folder)).isNull();
    }
}

package chat.load.lab.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlatformDirectoryTest {
    @TempDir
    private Path directory;

    @Test
    void severalProcessesTellTheirDatabaseInTheEnvironmentFile() throws IOException {
        write("servers/environment", """
                CHAT_RABBITMQ_URI='amqp://guest:guest@127.0.0.1:24396'
                CHAT_POSTGRES_URL='jdbc:postgresql://127.0.0.1:29228/confab'
                CHAT_POSTGRES_USER='confab'
                CHAT_POSTGRES_PASSWORD='7c1b91ba'
                """);
        Path script = write("servers/rabbitmqctl", "#!/bin/sh\n");
        assertThat(new PlatformDirectory(directory).rabbitmqctl()).isNull();
        assertThat(script.toFile().setExecutable(true)).isTrue();
        for (Path given : new Path[] {directory, directory.resolve("servers")}) {
            PlatformDirectory platform = new PlatformDirectory(given);
            assertThat(platform.databases())
                    .containsExactly(new Database("jdbc:postgresql://127.0.0.1:29228/confab", "confab", "7c1b91ba"));
            assertThat(platform.rabbitmqctl()).isEqualTo(script);
        }
    }

    @Test
    void theOneProcessLeavesItsDatabasesPortAndPassword() throws IOException {
        write("one-process/postgres/password", "secret\n");
        write("one-process/postgres/data/postmaster.pid", "29195\n/data\n1795231238\n31415\n\n127.0.0.1\n");
        assertThat(new PlatformDirectory(directory).databases())
                .containsExactly(new Database("jdbc:postgresql://127.0.0.1:31415/confab", "confab", "secret"));
    }

    @Test
    void aDatabaseGivenToRunNeedsNoJdbcInItsUrl() throws IOException {
        write("servers/environment", "CHAT_POSTGRES_URL='postgres://u:p@db:5433/chat'\n");
        assertThat(new PlatformDirectory(directory).databases())
                .containsExactly(new Database("jdbc:postgresql://db:5433/chat", "u", "p"));
    }

    @Test
    void missingDirectoryHasNoDatabase() {
        PlatformDirectory platform = new PlatformDirectory(directory.resolve("nowhere"));
        assertThat(platform.databases()).isEmpty();
        assertThat(platform.rabbitmqctl()).isNull();
    }

    @Test
    void aDatabaseIsToldWithoutSecrets() {
        assertThat(new Database("jdbc:postgresql://db:5433/chat?user=u&password=p", "u", "p").toString())
                .isEqualTo("jdbc:postgresql://db:5433/chat");
        assertThat(Database.parse("postgres://u:p@db/chat").toString()).isEqualTo("jdbc:postgresql://db/chat");
        assertThatThrownBy(() -> Database.parse("postgres://u:p^w@db/chat"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("p^w");
    }

    @Test
    void portsOfDatabases() {
        assertThat(new Database("jdbc:postgresql://db:5433/chat?user=u", "", "").port())
                .isEqualTo(5433);
        assertThat(new Database("jdbc:postgresql://db/chat", "", "").port()).isEqualTo(5432);
        assertThat(new Database("jdbc:postgresql://db:5433", "", "").port()).isEqualTo(5433);
    }

    private Path write(String name, String content) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }
}

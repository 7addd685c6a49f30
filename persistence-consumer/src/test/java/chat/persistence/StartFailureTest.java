package chat.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import chat.identity.SigningKey;
import chat.testing.FailedStart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A consumer that asks for tokens does not start with a password that everybody knows. */
class StartFailureTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            amqp://guest:guest@127.0.0.1:1    | one-of-its-own | chat.rabbitmq.uri      | CHAT_RABBITMQ_URI
            amqp://127.0.0.1:1                | one-of-its-own | chat.rabbitmq.uri      | CHAT_RABBITMQ_URI
            amqp://confab:a-secret@127.0.0.1:1 | postgres      | chat.postgres.password | CHAT_POSTGRES_PASSWORD
            amqp://confab:a-secret@127.0.0.1:1 | confab        | chat.postgres.password | CHAT_POSTGRES_PASSWORD
            """)
    void aPasswordThatEverybodyKnowsIsRefused(String broker, String password, String setting, String variable)
            throws Exception {
        Path known = Files.writeString(
                directory.resolve("public-key.pem"), SigningKey.make().known());
        String output = outputOfFailedStart(
                "--CHAT_IDENTITY=token",
                "--CHAT_IDENTITY_PUBLIC_KEY=" + known,
                "--CHAT_IDENTITY_ISSUER=https://issuer.example",
                "--CHAT_RABBITMQ_URI=" + broker,
                "--CHAT_POSTGRES_PASSWORD=" + password);
        assertThat(output)
                .contains("the password is one that everybody knows")
                .contains("property '" + setting + "'")
                .contains(variable)
                .doesNotContain("a-secret", "one-of-its-own", "\tat ");
    }

    @Test
    void whoIsLetInHasToBeSaid() {
        assertThat(outputOfFailedStart("--CHAT_IDENTITY="))
                .contains("nobody has said who is let in: set CHAT_IDENTITY=token")
                .containsOnlyOnce("FAILED TO START");
    }

    private static String outputOfFailedStart(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        // Neither is there, and neither is needed to know that the start is to end.
        all.addAll(List.of(
                "--CHAT_POSTGRES_URL=jdbc:postgresql://127.0.0.1:1/confab",
                "--CHAT_POSTGRES_USER=confab",
                "--server.port=0",
                "--management.server.port=0"));
        return FailedStart.outputOf(() -> PersistenceConsumer.main(all.toArray(String[]::new)));
    }
}

package chat.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import chat.kit.identity.SigningKey;
import chat.testing.FailedStart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A wrong setting stops the start with one message that says what to change. */
class StartFailureTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            CHAT_CONSUMER_PORT=abc            | server.port is wrong: Failed to convert to type java.lang.Integer
            CHAT_CONSUMER_PORT=99999          | The web server cannot start: port out of range:99999
            CHAT_CONSUMER_MANAGEMENT_PORT=x   | management.server.port is wrong: Failed to convert to type java.lang.Integer
            CHAT_RABBITMQ_URI=http://x        | chat.rabbitmq is wrong: the RabbitMQ URI must look like amqp://
            CHAT_RABBITMQ_PARTITIONS=65       | chat.rabbitmq is wrong: partitions must be 1 to 64
            CHAT_CONSUMER_BATCH_SIZE=0        | is wrong: batch size must be 1 to 100000, not 0
            CHAT_ANALYTICS_CACHE_AGE=soon     | chat.analytics.cache.age is wrong: Failed to convert to type java.time.Duration
            CHAT_STORE_KEEP=7                 | chat.store is wrong: chat.store.keep must be 31 to 36500, not 7
            CHAT_DASHBOARD_SERVERS=ftp://here | is wrong: chat.dashboard.servers must be addresses like
            CHAT_IDENTITY=                    | chat.identity is wrong: mode is not set: set CHAT_IDENTITY=token
            """)
    void messageNamesTheSettingTheAcceptedValuesAndTheVariable(String variable, String message) {
        assertThat(outputOfFailedStart("--" + variable))
                .contains(message)
                .contains(variable.substring(0, variable.indexOf('=')))
                .containsOnlyOnce("FAILED TO START")
                .doesNotContain("\tat ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            amqp://guest:guest@127.0.0.1:1    | one-of-its-own | chat.rabbitmq.uri      | CHAT_RABBITMQ_URI
            amqp://127.0.0.1:1                | one-of-its-own | chat.rabbitmq.uri      | CHAT_RABBITMQ_URI
            amqp://confab:a-secret@127.0.0.1:1 | postgres      | chat.postgres.password | CHAT_POSTGRES_PASSWORD
            amqp://confab:a-secret@127.0.0.1:1 | confab        | chat.postgres.password | CHAT_POSTGRES_PASSWORD
            """)
    void defaultPasswordIsRejected(String broker, String password, String setting, String variable) throws Exception {
        Path known = Files.writeString(
                directory.resolve("public-key.pem"), SigningKey.make().known());
        String output = outputOfFailedStart(
                "--CHAT_IDENTITY=token",
                "--CHAT_IDENTITY_PUBLIC_KEY=" + known,
                "--CHAT_IDENTITY_ISSUER=https://issuer.example",
                "--CHAT_RABBITMQ_URI=" + broker,
                "--CHAT_POSTGRES_PASSWORD=" + password);
        assertThat(output)
                .contains(setting + " is wrong: the password is a well-known default")
                .contains(variable)
                .doesNotContain("a-secret", "one-of-its-own", "\tat ");
    }

    private static String outputOfFailedStart(String... arguments) {
        // The test's settings come first, and the first counts. There is neither broker nor database: the start ends
        // before it would need them.
        Map<String, String> all = new LinkedHashMap<>();
        Stream.concat(
                        Stream.of(arguments),
                        Stream.of(
                                "--CHAT_IDENTITY=open",
                                "--CHAT_CONSUMER_PORT=0",
                                "--CHAT_CONSUMER_MANAGEMENT_PORT=0",
                                "--CHAT_POSTGRES_URL=jdbc:postgresql://127.0.0.1:1/confab",
                                "--CHAT_POSTGRES_USER=confab"))
                .forEach(argument -> all.putIfAbsent(argument.substring(0, argument.indexOf('=')), argument));
        return FailedStart.outputOf(() -> PersistenceConsumer.main(all.values().toArray(String[]::new)));
    }
}

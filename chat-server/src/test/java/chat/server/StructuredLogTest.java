package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.LineFields;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.LoggingSystemProperty;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The chat server's log formats. */
class StructuredLogTest {
    private final PrintStream before = System.out;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    @AfterEach
    void restore() {
        System.setOut(before);
        // Spring Boot leaves it set, for all programs that this JVM starts.
        System.clearProperty(LoggingSystemProperty.CONSOLE_STRUCTURED_FORMAT.getEnvironmentVariableName());
    }

    private String logged(String... settings) {
        System.setOut(new PrintStream(written, true, StandardCharsets.UTF_8));
        try (ConfigurableApplicationContext program = new SpringApplicationBuilder(Nothing.class)
                .logStartupInfo(false)
                .properties("spring.config.name=chat-server")
                .run(Stream.concat(Stream.of("--spring.main.web-application-type=none"), Stream.of(settings))
                        .toArray(String[]::new))) {
            assertThat(program.isRunning()).isTrue();
            LoggerFactory.getLogger("chat.server.Example")
                    .atWarn()
                    .addKeyValue(LineFields.ROOM, "lobby")
                    .addKeyValue(LineFields.POSITION, 42L)
                    .setCause(new IllegalStateException("a text\nof \"two\" lines"))
                    .log("said in {}", "lobby\nINFO forged");
        }
        return written.toString(StandardCharsets.UTF_8);
    }

    @Test
    void ecsFormatWritesOneJsonObjectPerLine() {
        String[] lines = logged("--CHAT_LOG_FORMAT=ecs", "--CHAT_SERVER_ID=server-7")
                .strip()
                .split("\n");
        assertThat(lines).hasSize(1);
        JsonNode line = JsonMapper.shared().readTree(lines[0]);
        assertThat(line.at("/ecs/version").asString()).isNotEmpty();
        assertThat(line.at("/log/level").asString()).isEqualTo("WARN");
        assertThat(line.at("/log/logger").asString()).isEqualTo("chat.server.Example");
        assertThat(line.at("/service/name").asString()).isEqualTo("chat-server");
        assertThat(line.at("/service/node/name").asString()).isEqualTo("server-7");
        assertThat(line.at("/message").asString()).isEqualTo("said in lobby\nINFO forged");
        assertThat(line.at("/confab/room").asString()).isEqualTo("lobby");
        assertThat(line.at("/confab/position").asLong()).isEqualTo(42);
        assertThat(line.at("/error/type").asString()).isEqualTo("java.lang.IllegalStateException");
        assertThat(line.at("/error/stack_trace").asString()).isNotEmpty().hasSizeLessThanOrEqualTo(16_000);
    }

    @Test
    void defaultFormatIsPlainText() {
        assertThat(logged()).contains("WARN", "said in lobby").doesNotContain("{\"");
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    static class Nothing {}
}

package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.protocol.Decoded;
import chat.protocol.FrameDecoder;
import chat.protocol.FrameRules;
import chat.protocol.RoomId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MappingIterator;
import tools.jackson.databind.json.JsonMapper;

/** The schemas say what docs/reference/protocol.md and the servers say. {@link Guest} holds every frame of the other tests to them. */
class FrameSchemasTest {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Pattern EXAMPLE = Pattern.compile("```json\n(.*?)```", Pattern.DOTALL);
    private static final String WHO =
            "\"userId\":\"42\",\"username\":\"alice42\",\"timestamp\":\"2026-11-20T10:00:00Z\"";

    private final FrameDecoder decoder = new FrameDecoder(FrameRules.DEFAULT);

    static Stream<JsonNode> examples() throws IOException {
        String document = Files.readString(Path.of("..", "docs", "reference", "protocol.md"));
        return EXAMPLE.matcher(document).results().flatMap(block -> {
            try (MappingIterator<JsonNode> nodes =
                    JSON.readerFor(JsonNode.class).readValues(block.group(1))) {
                return nodes.readAll().stream();
            }
        });
    }

    @Test
    void documentHasExamples() throws IOException {
        assertThat(examples()).hasSizeGreaterThan(10);
    }

    @ParameterizedTest
    @MethodSource("examples")
    void everyExampleOfTheDocumentFits(JsonNode example) {
        if (example.has("type"))
            assertThat(FrameSchemas.faultsOfServerFrame(example)).isEmpty();
        if (example.has("messageType"))
            assertThat(FrameSchemas.faultsOfClientFrame(example)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"messageType\":\"JOIN\"," + WHO + "}",
                "{\"messageType\":\"JOIN\",\"history\":500,\"stored\":true," + WHO + "}",
                "{\"messageType\":\"JOIN\",\"resume\":\"9223372036854775807\"," + WHO + "}",
                "{\"messageType\":\"TEXT\",\"message\":\"a\\n\\tb😀\",\"roomId\":\"a-Z_9\"," + WHO + "}",
                "{\"messageType\":\"TEXT\",\"message\":\"hi\",\"messageId\":\"0196F3C5-7A10-7000-8000-000000000001\","
                        + WHO + "}",
                "{\"messageType\":\"LEAVE\"," + WHO + "}",
                "{\"messageType\":\"MEMBERS\",\"userId\":42,\"username\":\"alice42\",\"after\":\"99\",\"limit\":500}",
                "[{\"messageType\":\"JOIN\"," + WHO + "},{\"messageType\":\"TEXT\",\"message\":\"hi\"," + WHO + "}]"
            })
    void acceptedFramesMatchTheSchema(String frame) {
        assertThat(taken(frame)).isTrue();
        assertThat(FrameSchemas.faultsOfClientFrame(JSON.readTree(frame))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "5",
                "{}",
                "{\"messageType\":\"NOPE\"," + WHO + "}",
                "{\"messageType\":\"TEXT\"," + WHO + "}",
                "{\"messageType\":\"TEXT\",\"message\":\"\"," + WHO + "}",
                "{\"messageType\":\"TEXT\",\"message\":null," + WHO + "}",
                "{\"messageType\":\"TEXT\",\"message\":\"a\\u0000b\"," + WHO + "}",
                "{\"messageType\":\"TEXT\",\"message\":\"hi\",\"messageId\":\"1\"," + WHO + "}",
                "{\"messageType\":\"JOIN\",\"roomId\":\"a b\"," + WHO + "}",
                "{\"messageType\":\"JOIN\",\"history\":501," + WHO + "}",
                "{\"messageType\":\"JOIN\",\"history\":\"5\"," + WHO + "}",
                "{\"messageType\":\"JOIN\",\"resume\":5," + WHO + "}",
                "{\"messageType\":\"JOIN\",\"resume\":\"5\",\"history\":5," + WHO + "}",
                "{\"messageType\":\"JOIN\",\"stored\":\"yes\"," + WHO + "}",
                "{\"messageType\":\"JOIN\",\"userId\":\"42\",\"username\":\"al\",\"timestamp\":\"2026-11-20T10:00:00Z\"}",
                "{\"messageType\":\"JOIN\",\"userId\":\"42\",\"username\":\"alice42\",\"timestamp\":\"yesterday\"}",
                "{\"messageType\":\"MEMBERS\",\"limit\":501," + WHO + "}"
            })
    void rejectedFramesDoNotMatchTheSchema(String frame) {
        assertThat(taken(frame)).isFalse();
        assertThat(FrameSchemas.faultsOfClientFrame(JSON.readTree(frame))).isNotEmpty();
    }

    @Test
    void undocumentedFieldFails() {
        String gap = "{\"type\":\"GAP\",\"roomId\":\"7\",\"from\":\"1\",\"to\":\"2\"";
        assertThat(FrameSchemas.faultsOfServerFrame(JSON.readTree(gap + "}"))).isEmpty();
        assertThat(FrameSchemas.faultsOfServerFrame(JSON.readTree(gap + ",\"more\":1}")))
                .isNotEmpty();
    }

    private boolean taken(String frame) {
        List<Decoded> decoded = decoder.decode(frame.getBytes(StandardCharsets.UTF_8), new RoomId("7"));
        return decoded.stream().allMatch(object -> object instanceof Decoded.Valid);
    }
}

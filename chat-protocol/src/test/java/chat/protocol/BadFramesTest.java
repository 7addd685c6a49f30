package chat.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Every frame of the table {@code hostile/bad-frames.jsonl} is refused for the reason that stands there. */
class BadFramesTest {
    private static final RoomId ROOM = new RoomId("7");

    private final FrameDecoder decoder = new FrameDecoder(FrameRules.DEFAULT);

    /**
     * One line of the table.
     *
     * @param code that refuses it; empty where the socket is closed
     * @param error part of the text of one fault; empty: any
     * @param close code that the socket is closed with; 0: it stays open
     */
    record BadFrame(String name, byte[] utf8, String code, String error, int close) {
        static BadFrame read(String line) {
            JsonNode row = JsonMapper.shared().readTree(line);
            return new BadFrame(
                    row.get("name").stringValue(),
                    bytes(row),
                    row.path("code").asString(""),
                    row.path("error").asString(""),
                    row.path("close").asInt(0));
        }

        private static byte[] bytes(JsonNode row) {
            if (row.has("hex")) return HexFormat.of().parseHex(row.get("hex").stringValue());
            if (row.has("frame")) return row.get("frame").stringValue().getBytes(UTF_8);
            StringBuilder text = new StringBuilder();
            for (JsonNode part : row.get("parts"))
                text.repeat(part.get(0).stringValue(), part.get(1).intValue());
            return text.toString().getBytes(UTF_8);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<BadFrame> all() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(BadFramesTest.class.getResourceAsStream("/hostile/bad-frames.jsonl")), UTF_8))) {
            return lines.lines().map(BadFrame::read).toList().stream();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    @Test
    void everyLineOfTheTableIsACaseOfItsOwn() {
        List<BadFrame> frames = all().toList();
        assertThat(frames).hasSizeGreaterThanOrEqualTo(300);
        assertThat(frames.stream().map(BadFrame::name)).doesNotHaveDuplicates();
        assertThat(frames.stream().filter(frame -> frame.code().equals("INVALID") || frame.close() != 0))
                .extracting(frame -> HexFormat.of().formatHex(frame.utf8()))
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("all")
    void isRefusedForItsReason(BadFrame frame) {
        List<Decoded> decoded = decoder.decode(frame.utf8(), ROOM);
        List<String> errors = decoded.stream()
                .filter(Decoded.Refused.class::isInstance)
                .flatMap(refused -> ((Decoded.Refused) refused).error().errors().stream())
                .toList();
        switch (frame.close()) {
            case 0 -> {
                // What only a session can judge is well-formed.
                if (!frame.code().equals("INVALID")) assertThat(errors).isEmpty();
                else assertThat(errors).anyMatch(error -> error.contains(frame.error()));
            }
            case 1007, 4001 -> assertThat(errors).isNotEmpty();
            // Never reaches the decoder.
            case 1009 -> assertThat(frame.utf8()).hasSizeGreaterThan(FrameRules.DEFAULT.maxFrameBytes());
            default -> throw new AssertionError("no such close code: " + frame.close());
        }
        assertThat(errors).allSatisfy(BadFramesTest::isFitForPeople);
    }

    /** One short line of visible characters that tells nothing of how the server is made. */
    static void isFitForPeople(String error) {
        assertThat(error)
                .hasSizeLessThanOrEqualTo(220)
                .matches(text -> text.codePoints().noneMatch(Character::isISOControl), "no control characters")
                .doesNotContain("Exception", "jackson", "java.", "chat.protocol");
    }
}

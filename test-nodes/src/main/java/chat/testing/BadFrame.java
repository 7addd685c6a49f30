package chat.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Represents one line of {@code hostile/bad-frames.jsonl}: a text frame as {@code frame}, as {@code hex}, or as
 * {@code parts} with repeat counts.
 *
 * @param joined whether the sender has joined the room before
 * @param code expected error code; empty if the connection is closed
 * @param error part of the text of one error; empty: any
 * @param close expected close code; 0: the connection stays open
 */
public record BadFrame(String name, byte[] utf8, boolean joined, String code, String error, int close) {
    /** Returns the whole table, in order. */
    public static Stream<BadFrame> all() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(BadFrame.class.getResourceAsStream("/hostile/bad-frames.jsonl")), UTF_8))) {
            return lines.lines().map(BadFrame::read).toList().stream();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static BadFrame read(String line) {
        JsonNode row = JsonMapper.shared().readTree(line);
        return new BadFrame(
                row.get("name").stringValue(),
                bytes(row),
                row.path("joined").asBoolean(false),
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

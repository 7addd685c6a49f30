package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.protocol.RoomId;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class FramesTest {
    private static final RoomId ROOM = new RoomId("r".repeat(64));

    @ParameterizedTest
    @CsvSource({"0, 8100", "125, 817d", "126, 817e007e", "65535, 817effff", "65536, 817f0000000000010000"})
    void headerUsesTheShortestLength(int length, String header) {
        byte[] payload = new byte[length];
        Arrays.fill(payload, (byte) 'x');
        ByteBuf frame = Frames.text(payload);
        byte[] bytes = new byte[frame.readableBytes()];
        frame.readBytes(bytes);
        frame.release();
        assertThat(bytes).endsWith(payload).hasSize(header.length() / 2 + length);
        assertThat(java.util.HexFormat.of().formatHex(bytes, 0, header.length() / 2))
                .isEqualTo(header);
    }

    @Test
    void messagesAreSplitIntoFramesOf128KibAtMost() {
        List<RecentMessage> messages = new ArrayList<>();
        for (int i = 0; i < 400; i++) messages.add(message(1L << 60 | i, 1000));
        List<JsonNode> frames = frames(messages, 128 * 1024);
        assertThat(frames).hasSize(4);
        List<Long> positions = new ArrayList<>();
        for (JsonNode frame : frames) {
            frame.get("messages").forEach(one -> positions.add(one.get("at").asLong()));
            assertThat(frame.get("position").asString()).isEqualTo(Long.toString(positions.getLast()));
            assertThat(frame.get("roomId").asString()).isEqualTo(ROOM.value());
        }
        assertThat(positions)
                .isEqualTo(messages.stream().map(RecentMessage::position).toList());
    }

    @Test
    void largerMessageIsSentAlone() {
        List<JsonNode> frames = frames(List.of(message(1, 10), message(2, 200_000), message(3, 10)), 201_000);
        assertThat(frames).hasSize(3);
    }

    @Test
    void noMessagesMakeNoFrame() {
        assertThat(frames(List.of(), 0)).isEmpty();
    }

    private static List<JsonNode> frames(List<RecentMessage> messages, int maxBytes) {
        List<JsonNode> frames = new ArrayList<>();
        Frames.messages(ROOM, messages, frame -> {
            assertThat(frame.readableBytes()).isLessThanOrEqualTo(maxBytes);
            int length = frame.skipBytes(1).readUnsignedByte();
            frame.skipBytes(length == 126 ? 2 : length == 127 ? 8 : 0);
            frames.add(JsonMapper.shared().readTree(frame.toString(StandardCharsets.UTF_8)));
            frame.release();
        });
        return frames;
    }

    private static RecentMessage message(long position, int bytes) {
        String json = "{\"at\":" + position + ",\"pad\":\"";
        return new RecentMessage(
                position,
                (json + "x".repeat(Math.max(0, bytes - json.length() - 2)) + "\"}").getBytes(StandardCharsets.UTF_8));
    }
}

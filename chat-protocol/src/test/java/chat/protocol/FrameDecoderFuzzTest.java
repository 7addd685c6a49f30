package chat.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.List;
import java.util.UUID;

/** {@code tools/fuzz} searches for bytes that break this test; ordinary runs use the inputs in the resources. */
class FrameDecoderFuzzTest {
    private static final RoomId ROOM = new RoomId("7");
    private static final FrameDecoder DECODER = new FrameDecoder(FrameRules.DEFAULT);

    @FuzzTest
    void anyBytesBecomeFramesOrRefusals(byte[] bytes) {
        List<Decoded> decoded = DECODER.decode(bytes, ROOM);
        assertThat(decoded).isNotEmpty().hasSizeLessThanOrEqualTo(1001);
        for (Decoded one : decoded) {
            switch (one) {
                case Decoded.Refused refused -> {
                    assertThat(refused.error().errors()).isNotEmpty().allSatisfy(BadFramesTest::assertFitForPeople);
                    assertThat(ServerFrames.error(refused.error())).isNotEmpty();
                }
                case Decoded.Valid(ClientFrame.Text text) -> {
                    ChatMessage message =
                            new ChatMessage(new UUID(1, 2), text.member(), MessageType.TEXT, text.message(), 3);
                    assertThat(MessageJson.decode(MessageJson.encode(message))).isEqualTo(message);
                }
                case Decoded.Valid(ClientFrame other) -> assertThat(other).isNotNull();
            }
        }
    }
}

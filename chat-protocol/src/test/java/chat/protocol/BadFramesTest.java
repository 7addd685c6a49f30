package chat.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import chat.testing.BadFrame;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that every frame in {@code hostile/bad-frames.jsonl} is rejected for the reason given there. */
class BadFramesTest {
    private static final RoomId ROOM = new RoomId("7");

    private final FrameDecoder decoder = new FrameDecoder(FrameRules.DEFAULT);

    @Test
    void everyLineOfTheTableHasAUniqueName() {
        List<BadFrame> frames = BadFrame.all().toList();
        assertThat(frames).hasSizeGreaterThanOrEqualTo(300);
        assertThat(frames.stream().map(BadFrame::name)).doesNotHaveDuplicates();
        assertThat(frames.stream().filter(frame -> frame.code().equals("INVALID") || frame.close() != 0))
                .extracting(frame -> HexFormat.of().formatHex(frame.utf8()))
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("chat.testing.BadFrame#all")
    void badFrameIsRejectedForItsReason(BadFrame frame) {
        List<Decoded> decoded = decoder.decode(frame.utf8(), ROOM);
        List<String> errors = decoded.stream()
                .filter(Decoded.Refused.class::isInstance)
                .flatMap(refused -> ((Decoded.Refused) refused).error().errors().stream())
                .toList();
        switch (frame.close()) {
            case 0 -> {
                // Frames that only a session can reject are well-formed.
                if (!frame.code().equals("INVALID")) assertThat(errors).isEmpty();
                else assertThat(errors).anyMatch(error -> error.contains(frame.error()));
            }
            case 1007, 4001 -> assertThat(errors).isNotEmpty();
            // Does not reach the decoder.
            case 1009 -> assertThat(frame.utf8()).hasSizeGreaterThan(FrameRules.DEFAULT.maxFrameBytes());
            default -> throw new AssertionError("no such close code: " + frame.close());
        }
        assertThat(errors).allSatisfy(BadFramesTest::assertFitForPeople);
    }

    /** The text must be one short line of visible characters that reveals nothing about the server's implementation. */
    static void assertFitForPeople(String error) {
        assertThat(error)
                .hasSizeLessThanOrEqualTo(220)
                .matches(text -> text.codePoints().noneMatch(Character::isISOControl), "no control characters")
                .doesNotContain("Exception", "jackson", "java.", "chat.protocol");
    }
}

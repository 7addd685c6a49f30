package chat.kit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class FoldedHeadersTest {
    private static final String LENGTH_6 = "POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\n";
    private static final String CHUNKED = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String NEXT = "GET / HTTP/1.1\r\nHost: a\r\n";

    private final EmbeddedChannel channel = new EmbeddedChannel(new FoldedHeaders());

    /** @param size size of the pieces in which the request arrives */
    private String passed(String text, int size) {
        StringBuilder passed = new StringBuilder();
        for (int i = 0; i < text.length(); i += size) {
            String piece = text.substring(i, Math.min(text.length(), i + size));
            channel.writeInbound(Unpooled.buffer().writeBytes(piece.getBytes(StandardCharsets.ISO_8859_1)));
            ByteBuf seen = channel.readInbound();
            passed.append(seen.toString(StandardCharsets.ISO_8859_1));
            seen.release();
        }
        return passed.toString();
    }

    private void assertUnchanged(String text) {
        for (int size = 1; size <= text.length(); size++)
            assertThat(passed(text, size)).isEqualTo(text);
    }

    @Test
    void foldedLineGetsAColonForEverySplit() {
        String text = "GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\tb\r\n\r\n";
        for (int size = 1; size <= text.length(); size++)
            assertThat(passed(text, size)).isEqualTo("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n:2\r\n:b\r\n\r\n");
    }

    @Test
    void bodiesAreUnchanged() {
        assertUnchanged(LENGTH_6 + "\r\n a\n " + NEXT + "\r\n");
        assertUnchanged(CHUNKED + "5;x=y\r\n\r\n a\n\r\n0\r\n\r\n" + NEXT + "\r\n");
    }

    @Test
    void foldAfterABodyIsDetected() {
        assertThat(passed(CHUNKED + "1\r\nx\r\n0\r\n\r\n" + NEXT + " b\r\n\r\n", 7))
                .endsWith("\r\n:b\r\n\r\n");
        assertThat(passed(LENGTH_6 + "xyzxyz" + NEXT + " b\r\n\r\n", 7)).endsWith("\r\n:b\r\n\r\n");
    }

    @Test
    void webSocketFramesAreUnchanged() {
        String upgrade = "GET /chat/a HTTP/1.1\r\nUpgrade: WebSocket\r\n\r\n";
        String frame = "\u0081\u0005\n a\n b\n c";
        assertThat(passed(upgrade + frame, upgrade.length())).isEqualTo(upgrade + frame);
        assertThat(channel.pipeline().get(FoldedHeaders.class)).isNull();
    }

    @Test
    void requestsAreParsedAfterARejectedUpgrade() {
        String upgrade = "GET /chat/a HTTP/1.1\r\nUpgrade: websocket\r\n\r\n";
        assertThat(passed(upgrade + "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", 5)).endsWith("\r\n:c\r\n\r\n");
    }
}

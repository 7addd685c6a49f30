package chat.server;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The watch over buffers does watch. */
class LeakedBuffersTest {
    @Test
    void leakedBufferIsDetected() {
        forget();
        Awaitility.await().untilAsserted(() -> {
            System.gc();
            ByteBufAllocator.DEFAULT.directBuffer(8).release(); // Netty looks when it makes one
            assertThatThrownBy(LeakedBuffers::assertNone).hasMessageContaining("LeakedBuffersTest.forget");
        });
    }

    private static void forget() {
        ByteBuf lost = ByteBufAllocator.DEFAULT.directBuffer(8);
        lost.writeByte(1);
    }
}

package chat.load.dialect;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Any input is read or rejected: a reader that throws another exception would end an event loop. */
class DamagedFramesTest {
    private static final byte[] DAMAGE = {0, ' ', '\r', '\n', '"', '\\', '{', '}', '[', ']', ',', '0', '9', (byte) 0xFF
    };

    @Test
    void socketIo() throws Exception {
        damage(new SocketIo(), Recording.of(Recording.SOCKET_IO));
    }

    @Test
    void nats() throws Exception {
        damage(new Nats(), Recording.of(Recording.NATS));
    }

    @Test
    void centrifugo() throws Exception {
        damage(new Centrifugo(), Recording.of(Recording.CENTRIFUGO));
    }

    private static void damage(Dialect dialect, List<byte[]> messages) {
        FrameReader reader = dialect.newReader();
        for (byte[] message : messages) {
            for (int at = 0; at < message.length; at++) {
                readOrRefused(reader, Unpooled.copiedBuffer(message, 0, at));
                byte before = message[at];
                for (byte damaged : DAMAGE) {
                    message[at] = damaged;
                    readOrRefused(reader, Unpooled.wrappedBuffer(message));
                }
                message[at] = before;
            }
        }
    }

    private static void readOrRefused(FrameReader reader, ByteBuf in) {
        try {
            while (in.isReadable()) {
                int length = reader.unit(in);
                if (length < 0) return;
                reader.isShared(in);
                byte[] unit = new byte[length];
                in.readBytes(unit);
                reader.read(unit, length);
            }
        } catch (FrameReader.Malformed refused) {
            // As good as read.
        }
    }
}

package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.protocol.CloseCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EventLoopQueueTest {
    private final EventLoopQueue queue = new EventLoopQueue(Runnable::run, 1 << 20);

    private final class Receiver extends DirectSubscriber {
        private final boolean fails;
        private int written;
        private @Nullable CloseCode closed;

        private Receiver(boolean fails) {
            super(queue);
            this.fails = fails;
        }

        @Override
        public void write(ByteBuf frame) {
            frame.release();
            if (fails) throw new OutOfMemoryError("as it could be");
            written++;
        }

        @Override
        public void close(CloseCode code) {
            closed = code;
        }

        @Override
        public boolean isOpen() {
            return closed == null;
        }
    }

    @Test
    void failingReceiverIsClosedAndUnblocksThePartition() {
        Receiver broken = new Receiver(true);
        Receiver well = new Receiver(false);
        EventLoopQueue.Batch batch = queue.batch();
        for (int i = 0; i < 3; i++) {
            batch.add(TestMembership.of(broken), frame());
            batch.add(TestMembership.of(well), frame());
        }

        batch.submit();

        assertThat(broken.closed).isEqualTo(CloseCode.INTERNAL_ERROR);
        assertThat(well.written).isEqualTo(3);
        assertThat(well.isOpen()).isTrue();
        assertThat(queue.bytes()).isZero();
    }

    private static ByteBuf frame() {
        return Unpooled.buffer(8).writeLong(1);
    }
}

package chat.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import chat.protocol.CloseCode;
import chat.server.room.DirectSubscriber;
import chat.server.room.Membership;
import chat.server.room.TestMembership;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OutboxTest {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final AtomicInteger overflows = new AtomicInteger();
    private final AtomicInteger stalls = new AtomicInteger();
    private final Outbox outbox =
            new Outbox(channel, 100, System::nanoTime, overflows::incrementAndGet, stalls::incrementAndGet);

    OutboxTest() {
        channel.pipeline().addLast(outbox.handler());
    }

    private static ByteBuf frame(int number) {
        return Unpooled.buffer(10).writeLong(number).writeShort(0);
    }

    private List<Long> written() {
        List<Long> numbers = new ArrayList<>();
        ByteBuf frame;
        while ((frame = channel.readOutbound()) != null) {
            numbers.add(frame.readLong());
            frame.release();
        }
        return numbers;
    }

    /** So much waits in the channel itself that it takes no more. */
    private ByteBuf unwritable() {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
        ByteBuf plug = frame(0);
        channel.write(plug);
        assertThat(channel.isWritable()).isFalse();
        return plug;
    }

    private void writable() {
        channel.config().setWriteBufferWaterMark(WriteBufferWaterMark.DEFAULT);
        channel.flush();
    }

    @Test
    void framesAreWrittenInOrderOnTheEventLoop() {
        for (int i = 1; i <= 5; i++) outbox.offer(frame(i));
        assertThat(outbox.bytes()).isEqualTo(50);
        assertThat(written()).isEmpty();
        channel.runPendingTasks();
        assertThat(written()).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(outbox.bytes()).isZero();
        assertThat(outbox.stalledNanos(System.nanoTime())).isZero();
    }

    @Test
    void stalledChannelHoldsFramesAndStartsTheDeadline() {
        unwritable();
        outbox.offer(frame(1));
        assertThat(outbox.stalledNanos(System.nanoTime())).isZero();
        channel.runPendingTasks();
        outbox.offer(frame(2));
        channel.runPendingTasks();
        assertThat(outbox.bytes()).isEqualTo(20);
        assertThat(stalls).hasValue(1);
        assertThat(outbox.isStalled()).isTrue();
        assertThat(outbox.stalledNanos(System.nanoTime() + 1_000_000)).isGreaterThanOrEqualTo(1_000_000);
        writable();
        assertThat(written()).containsExactly(0L, 1L, 2L);
        assertThat(outbox.stalledNanos(System.nanoTime() + 1_000_000)).isZero();
    }

    @Test
    void slowlyReadFrameIsNotStalled() {
        TricklingChannel narrow = new TricklingChannel();
        narrow.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
        Outbox slowly = new Outbox(narrow, 100, System::nanoTime, overflows::incrementAndGet, () -> {});
        narrow.pipeline().addLast(slowly.handler());
        slowly.offer(frame(1));
        narrow.runPendingTasks();
        long now = System.nanoTime() + 1_000_000;
        assertThat(slowly.stalledNanos(now)).isPositive();
        for (int taken = 1; taken < 9; taken++) {
            now += 1_000_000;
            narrow.takes(1);
            assertThat(slowly.stalledNanos(now)).isZero();
        }
        assertThat(slowly.stalledNanos(now + 7)).isEqualTo(7);
        narrow.takes(1);
        assertThat(slowly.stalledNanos(now + 8)).isZero();
        assertThat(narrow.isWritable()).isTrue();
    }

    @Test
    void afterAFrameThatDidNotFitNoneFollows() {
        unwritable();
        List<ByteBuf> frames = new ArrayList<>();
        for (int i = 1; i <= 10; i++) frames.add(frame(i));
        frames.forEach(outbox::offer);
        assertThat(overflows).hasValue(0);
        ByteBuf tooMuch = frame(11);
        outbox.offer(tooMuch);
        assertThat(overflows).hasValue(1);
        writable();
        ByteBuf late = frame(12);
        outbox.offer(late);
        channel.runPendingTasks();
        assertThat(written()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
        assertThat(tooMuch.refCnt()).isZero();
        assertThat(late.refCnt()).isZero();
        assertThat(outbox.bytes()).isZero();
    }

    @Test
    void closedOutboxReleasesQueuedAndLaterFrames() {
        ByteBuf plug = unwritable();
        ByteBuf waiting = frame(1);
        ByteBuf late = frame(2);
        outbox.offer(waiting);
        channel.runPendingTasks();
        outbox.close();
        outbox.offer(late);
        channel.runPendingTasks();
        assertThat(waiting.refCnt()).isZero();
        assertThat(late.refCnt()).isZero();
        assertThat(outbox.bytes()).isZero();
        writable();
        assertThat(written()).containsExactly(0L);
        assertThat(plug.refCnt()).isZero();
    }

    @Test
    void framesOfARoomThatIsForbiddenAreReleasedWhileTheyWait() {
        unwritable();
        Membership forbidden = member();
        Membership allowed = member();
        outbox.offer(frame(1), forbidden);
        outbox.offer(frame(2), allowed);
        channel.runPendingTasks();
        outbox.write(frame(3), forbidden);
        forbidden.forbid();
        outbox.offer(frame(4), forbidden);
        outbox.write(frame(5), forbidden);
        outbox.offer(frame(6));
        channel.runPendingTasks();
        writable();
        outbox.flush();
        assertThat(written()).containsExactly(0L, 2L, 6L);
        assertThat(outbox.bytes()).isZero();
    }

    private static Membership member() {
        return TestMembership.of(new DirectSubscriber() {
            @Override
            public void write(ByteBuf frame) {
                frame.release();
            }

            @Override
            public void close(CloseCode code) {}

            @Override
            public boolean isOpen() {
                return true;
            }
        });
    }
}

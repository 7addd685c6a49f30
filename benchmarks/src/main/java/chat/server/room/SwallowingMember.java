package chat.server.room;

import chat.protocol.ClientFrame.Since;
import chat.protocol.CloseCode;
import chat.protocol.Member;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Represents a member whose connection accepts everything: written to by its event loop queue or, as the alternative,
 * from other threads through a queue of its own.
 */
final class SwallowingMember implements Subscriber, Membership.Refusals {
    private final EventLoopQueue queue;
    private final Channel channel;
    private final Membership membership;
    private final Queue<ByteBuf> frames = new ConcurrentLinkedQueue<>();
    private final AtomicLong queuedBytes = new AtomicLong();
    private final AtomicBoolean flushRequested = new AtomicBoolean();

    SwallowingMember(int number, EventLoopQueue queue, Channel channel) {
        this.queue = queue;
        this.channel = channel;
        Member member = new Member(Integer.toString(number + 1), "user" + number);
        this.membership = new Membership(new RoomId("room7"), member, new Since.Now(), false, this, this);
    }

    Membership membership() {
        return membership;
    }

    @Override
    public String id() {
        return "swallowing";
    }

    @Override
    public EventLoopQueue queue() {
        return queue;
    }

    @Override
    public void write(ByteBuf frame) {
        channel.write(frame, channel.voidPromise());
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public void send(ByteBuf frame) {
        queuedBytes.addAndGet(frame.readableBytes());
        frames.add(frame);
        if (flushRequested.compareAndSet(false, true)) channel.eventLoop().execute(this::flushQueue);
    }

    private void flushQueue() {
        flushRequested.set(false);
        ByteBuf frame;
        while ((frame = frames.poll()) != null) {
            queuedBytes.addAndGet(-frame.readableBytes());
            channel.write(frame, channel.voidPromise());
        }
        channel.flush();
    }

    @Override
    public boolean keepsUp() {
        return true;
    }

    @Override
    public void close(CloseCode code) {
        throw new IllegalStateException("closed with " + code);
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void conflict(Membership membership, MessageType type, @Nullable UUID messageId) {}

    @Override
    public void joinRefused(Membership refused, @Nullable UUID messageId) {
        throw new IllegalStateException("nothing was offered");
    }

    @Override
    public void textRefused(Membership refused, @Nullable UUID messageId) {
        throw new IllegalStateException("nothing was offered");
    }

    @Override
    public void leaveRefused(Membership refused, @Nullable UUID messageId) {
        throw new IllegalStateException("nothing was offered");
    }
}

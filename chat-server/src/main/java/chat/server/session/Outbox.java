package chat.server.session;

import chat.server.room.Membership;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Queues the outgoing frames of one socket. All frames pass it, so they never interleave. Bounded in bytes. It hands
 * frames to Netty only while the channel is writable, so Netty holds at most one high-water mark. {@link #offer},
 * {@link #bytes} and {@link #heldBytes} may be called on any thread, all other methods on the event loop.
 */
final class Outbox {
    private final Channel channel;
    private final long maxBytes;
    private final LongSupplier nanoTime;
    private final Runnable overflow;
    private final Runnable stalls;
    /** Null while no frame waits, which saves memory for most sockets. */
    private @Nullable Queue<Waiting> waiting;
    /** Bytes of frames offered but not yet written, and of frames that wait. */
    private final AtomicLong bytes = new AtomicLong();
    /** Position at which frames enter the pipeline; the handlers after it do not concern them. */
    private @Nullable ChannelHandlerContext entrance;
    /** A frame did not fit. No frame may follow: the reader would not notice the missing one. */
    private volatile boolean overflown;

    private boolean unflushed;
    private boolean closed;
    private boolean stalled;
    private long stalledSince;
    /** Bytes that Netty held at that time. */
    private long stalledWith;

    /**
     * @param nanoTime as {@link System#nanoTime}
     * @param overflow called on any thread when a frame did not fit; possibly several times
     * @param stalls called when the socket stops accepting the frames that wait
     */
    Outbox(Channel channel, long maxBytes, LongSupplier nanoTime, Runnable overflow, Runnable stalls) {
        this.channel = channel;
        this.maxBytes = maxBytes;
        this.nanoTime = nanoTime;
        this.overflow = overflow;
        this.stalls = stalls;
    }

    /** @param to the membership whose room the frame belongs to; null: the frame belongs to the session itself */
    private record Waiting(ByteBuf frame, @Nullable Membership to) {}

    private static boolean isForbidden(@Nullable Membership to) {
        return to != null && to.isForbidden();
    }

    /** Handler to add to the channel's pipeline: frames enter there, and it reports when the channel is writable. */
    ChannelHandler handler() {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void handlerAdded(ChannelHandlerContext context) {
                entrance = context;
            }

            @Override
            public void channelWritabilityChanged(ChannelHandlerContext context) {
                if (channel.isWritable()) flush();
                context.fireChannelWritabilityChanged();
            }
        };
    }

    /** Takes ownership of the frame, writes it on the event loop and flushes. */
    void offer(ByteBuf frame) {
        offer(frame, null);
    }

    /**
     * The same for a frame of a room: it is released if the membership is forbidden by then.
     *
     * @param to the membership whose room the frame belongs to; null: the frame belongs to the session itself
     */
    void offer(ByteBuf frame, @Nullable Membership to) {
        int size = frame.readableBytes();
        if (overflown || !admits(size)) {
            frame.release();
            return;
        }
        try {
            channel.eventLoop().execute(() -> {
                take(frame, to, true);
                flush();
            });
        } catch (RejectedExecutionException loopIsDown) {
            bytes.addAndGet(-size);
            frame.release();
        }
    }

    private boolean admits(int size) {
        if (bytes.addAndGet(size) <= maxBytes) return true;
        bytes.addAndGet(-size);
        overflown = true;
        overflow.run();
        return false;
    }

    /**
     * Takes ownership of the frame; the next {@link #flush} sends it.
     *
     * @param to as for {@link #offer(ByteBuf, Membership)}
     */
    void write(ByteBuf frame, @Nullable Membership to) {
        if (overflown) frame.release();
        else take(frame, to, false);
    }

    /** @param counted whether {@link #bytes} includes the frame */
    private void take(ByteBuf frame, @Nullable Membership to, boolean counted) {
        int size = frame.readableBytes();
        boolean open = !closed && !isForbidden(to);
        if (open && channel.isWritable() && (waiting == null || waiting.isEmpty())) {
            if (counted) bytes.addAndGet(-size);
            pass(frame);
        } else if (open && (counted || admits(size))) {
            if (waiting == null) waiting = new ArrayDeque<>();
            waiting.add(new Waiting(frame, to));
        } else {
            if (counted) bytes.addAndGet(-size);
            frame.release();
        }
    }

    private void pass(ByteBuf frame) {
        ChannelHandlerContext context = entrance;
        if (context == null) throw new IllegalStateException("the outbox is not in the pipeline");
        context.write(frame, channel.voidPromise());
        unflushed = true;
    }

    /** Writes frames while the channel is writable. Call it again when the channel becomes writable. */
    void flush() {
        boolean written = flushOnce();
        while (waiting != null && channel.isWritable()) {
            Waiting next = waiting.poll();
            if (next == null) {
                waiting = null;
            } else {
                ByteBuf frame = next.frame();
                bytes.addAndGet(-frame.readableBytes());
                if (isForbidden(next.to())) frame.release();
                else pass(frame);
                if (!channel.isWritable() || waiting.isEmpty()) written |= flushOnce();
            }
        }
        boolean unsent = !closed && (waiting != null || !channel.isWritable());
        boolean stallBegins = unsent && !stalled;
        if (stallBegins || (unsent && written)) stalled(nanoTime.getAsLong());
        stalled = unsent;
        if (stallBegins) stalls.run();
    }

    private void stalled(long since) {
        stalledSince = since;
        stalledWith = leftInNetty();
    }

    private boolean flushOnce() {
        if (!unflushed) return false;
        unflushed = false;
        ChannelHandlerContext context = entrance;
        if (context != null) context.flush();
        return true;
    }

    long bytes() {
        return bytes.get();
    }

    /** {@link #bytes} plus the frames that Netty holds, counted in full until their last byte is sent. Any thread. */
    long heldBytes() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return bytes.get() + (buffer == null ? 0 : buffer.totalPendingWriteBytes());
    }

    /** Bytes handed to Netty that the socket has not accepted. */
    private long leftInNetty() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes() - buffer.currentProgress();
    }

    /** Whether frames were left after the last write to the socket. */
    boolean isStalled() {
        return stalled;
    }

    /**
     * Nanoseconds since the socket last accepted bytes while frames wait; 0 if none wait. Progress within a frame is
     * detected only by calling this.
     */
    long stalledNanos(long now) {
        if (!stalled) return 0;
        if (leftInNetty() != stalledWith) stalled(now);
        return now - stalledSince;
    }

    /** Excludes a pause of the server itself, in nanoseconds, from the stalled time. */
    void excusePause(long now, long nanos) {
        stalledSince = Math.min(now, stalledSince + nanos);
    }

    /** Stops writing; releases all frames that wait or are offered later. */
    void close() {
        closed = true;
        stalled = false;
        Queue<Waiting> unsent = waiting;
        waiting = null;
        if (unsent == null) return;
        for (Waiting next : unsent) {
            bytes.addAndGet(-next.frame().readableBytes());
            next.frame().release();
        }
    }
}

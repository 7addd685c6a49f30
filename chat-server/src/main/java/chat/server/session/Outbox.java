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
 * What one socket still has to be sent: the only way to it, so frames never interleave. Bounded in bytes; frames are
 * handed to Netty only while the socket takes them, so Netty holds one high-water mark at most. {@link #offer},
 * {@link #bytes} and {@link #heldBytes} may be called on any thread, everything else on the event loop.
 */
final class Outbox {
    private final Channel channel;
    private final long maxBytes;
    private final LongSupplier nanoTime;
    private final Runnable overflow;
    private final Runnable stalls;
    /** Null as long as the socket has taken everything: most do. */
    private @Nullable Queue<Waiting> waiting;
    /** Of what was offered and not written, and of what waits. */
    private final AtomicLong bytes = new AtomicLong();
    /** Where frames enter the pipeline: behind it they have nothing to look for. */
    private @Nullable ChannelHandlerContext entrance;
    /** A frame did not fit: none may follow, or its reader would not notice the hole. */
    private volatile boolean overflown;

    private boolean unflushed;
    private boolean closed;
    private boolean stalled;
    private long stalledSince;
    /** What Netty had then. */
    private long stalledWith;

    /**
     * @param nanoTime as {@link System#nanoTime}
     * @param overflow called, on any thread, when a frame did not fit; once or more often
     * @param stalls called when the socket begins not to take what there is for it
     */
    Outbox(Channel channel, long maxBytes, LongSupplier nanoTime, Runnable overflow, Runnable stalls) {
        this.channel = channel;
        this.maxBytes = maxBytes;
        this.nanoTime = nanoTime;
        this.overflow = overflow;
        this.stalls = stalls;
    }

    /** @param to the membership whose room the frame belongs to; null: the frame is the session's own */
    private record Waiting(ByteBuf frame, @Nullable Membership to) {}

    private static boolean isForbidden(@Nullable Membership to) {
        return to != null && to.isForbidden();
    }

    /** To be added to the channel's pipeline: there frames enter it, and there is heard when the socket takes more. */
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

    /** Takes over the frame, writes it on the event loop and flushes. */
    void offer(ByteBuf frame) {
        offer(frame, null);
    }

    /** @param to the membership whose room the frame belongs to: once forbidden, the frame is released; null: the frame is the session's own */
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
     * Takes over the frame; it is sent with the next {@link #flush}.
     *
     * @param to as of {@link #offer(ByteBuf, Membership)}
     */
    void write(ByteBuf frame, @Nullable Membership to) {
        if (overflown) frame.release();
        else take(frame, to, false);
    }

    /** @param counted whether it is among the {@link #bytes} already */
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
        ChannelHandlerContext way = entrance;
        if (way == null) throw new IllegalStateException("the outbox is not in the pipeline");
        way.write(frame, channel.voidPromise());
        unflushed = true;
    }

    /** Writes what the socket takes; also to be called when it takes more again. */
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
        boolean left = !closed && (waiting != null || !channel.isWritable());
        boolean begins = left && !stalled;
        if (begins || (left && written)) stalled(nanoTime.getAsLong());
        stalled = left;
        if (begins) stalls.run();
    }

    private void stalled(long since) {
        stalledSince = since;
        stalledWith = leftInNetty();
    }

    private boolean flushOnce() {
        if (!unflushed) return false;
        unflushed = false;
        ChannelHandlerContext way = entrance;
        if (way != null) way.flush();
        return true;
    }

    long bytes() {
        return bytes.get();
    }

    /** The {@link #bytes}, and those of frames that Netty has until their last byte is taken; any thread. */
    long heldBytes() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return bytes.get() + (buffer == null ? 0 : buffer.totalPendingWriteBytes());
    }

    /** Of frames that were handed to Netty, what the socket has not taken. */
    private long leftInNetty() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes() - buffer.currentProgress();
    }

    /** Whether the socket had not taken all that there is for it when it was last written to. */
    boolean isStalled() {
        return stalled;
    }

    /**
     * How long the socket has taken no more of what there is for it, in nanoseconds; 0 where it takes all. Of a frame that
     * it takes bit by bit this hears only by being asked.
     */
    long stalledNanos(long now) {
        if (!stalled) return 0;
        if (leftInNetty() != stalledWith) stalled(now);
        return now - stalledSince;
    }

    /** The server stood still for so many nanoseconds: they do not count as the socket's. */
    void excusePause(long now, long nanos) {
        stalledSince = Math.min(now, stalledSince + nanos);
    }

    /** Nothing more is written; what waits, and what is still offered, is released. */
    void close() {
        closed = true;
        stalled = false;
        Queue<Waiting> left = waiting;
        waiting = null;
        if (left == null) return;
        for (Waiting next : left) {
            bytes.addAndGet(-next.frame().readableBytes());
            next.frame().release();
        }
    }
}

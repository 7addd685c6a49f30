package chat.server.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What one socket still has to be sent: the only way to it, so frames never interleave. Bounded in bytes; frames are
 * handed to Netty only while the socket takes them, so Netty holds one high-water mark at most. {@link #offer} and
 * {@link #bytes} may be called on any thread, everything else on the event loop.
 */
final class Outbox {
    private final Channel channel;
    private final EventLoop loop;
    private final long maxBytes;
    private final Runnable overflow;
    private final Queue<ByteBuf> frames = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicBoolean flushRequested = new AtomicBoolean();
    /** A frame did not fit: none may follow, or its reader would not notice the hole. */
    private volatile boolean overflown;

    private boolean closed;
    private boolean stalled;
    private long stalledSince;

    /** @param overflow called, on any thread, when a frame did not fit; once or more often */
    Outbox(Channel channel, long maxBytes, Runnable overflow) {
        this.channel = channel;
        this.loop = channel.eventLoop();
        this.maxBytes = maxBytes;
        this.overflow = overflow;
    }

    /** Takes over the frame. */
    void offer(ByteBuf frame) {
        int size = frame.readableBytes();
        if (overflown) {
            frame.release();
            return;
        }
        if (bytes.addAndGet(size) > maxBytes) {
            overflown = true;
            bytes.addAndGet(-size);
            frame.release();
            overflow.run();
            return;
        }
        frames.add(frame);
        if (!flushRequested.compareAndSet(false, true)) return;
        try {
            loop.execute(this::flush);
        } catch (RejectedExecutionException loopIsDown) {
            discard();
        }
    }

    /** Writes what the socket takes; also to be called when it takes more again. */
    void flush() {
        flushRequested.set(false);
        if (closed) {
            discard();
            return;
        }
        boolean written = false;
        ByteBuf frame;
        while (channel.isWritable() && (frame = frames.poll()) != null) {
            bytes.addAndGet(-frame.readableBytes());
            channel.write(frame, channel.voidPromise());
            written = true;
        }
        if (written) channel.flush();
        boolean left = !channel.isWritable() || !frames.isEmpty();
        if (left && (written || !stalled)) stalledSince = System.nanoTime();
        stalled = left;
    }

    long bytes() {
        return bytes.get();
    }

    /** How long the socket has taken no more of what there is for it, in nanoseconds; 0 where it takes all. */
    long stalledNanos(long now) {
        return stalled ? now - stalledSince : 0;
    }

    /** Nothing more is written; what waits, and what is still offered, is released. */
    void close() {
        closed = true;
        stalled = false;
        discard();
    }

    private void discard() {
        ByteBuf frame;
        while ((frame = frames.poll()) != null) {
            bytes.addAndGet(-frame.readableBytes());
            frame.release();
        }
    }
}

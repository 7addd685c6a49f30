package chat.server.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What one socket still has to be sent: the only way to it, so frames never interleave. Bounded in bytes; frames are
 * handed to Netty only while the socket takes them, so Netty holds one high-water mark at most. {@link #offer} may be
 * called on any thread, everything else on the event loop.
 */
final class Outbox {
    private final Channel channel;
    private final EventLoop loop;
    private final long maxBytes;
    private final Runnable overflow;
    private final Queue<ByteBuf> frames = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicBoolean flushing = new AtomicBoolean();
    private volatile boolean closed;
    private volatile long lastProgressNanos = System.nanoTime();

    /** @param overflow called, on any thread, when a frame did not fit */
    Outbox(Channel channel, long maxBytes, Runnable overflow) {
        this.channel = channel;
        this.loop = channel.eventLoop();
        this.maxBytes = maxBytes;
        this.overflow = overflow;
    }

    /** Takes over the frame. */
    void offer(ByteBuf frame) {
        int size = frame.readableBytes();
        if (closed) {
            frame.release();
            return;
        }
        if (bytes.addAndGet(size) > maxBytes) {
            bytes.addAndGet(-size);
            frame.release();
            overflow.run();
            return;
        }
        frames.add(frame);
        if (flushing.compareAndSet(false, true)) loop.execute(this::flush);
        if (closed) discard();
    }

    /** Writes what the socket takes; also called when it takes more again. */
    void flush() {
        flushing.set(false);
        boolean written = false;
        while (channel.isWritable()) {
            ByteBuf frame = frames.poll();
            if (frame == null) break;
            bytes.addAndGet(-frame.readableBytes());
            channel.write(frame, channel.voidPromise());
            written = true;
        }
        if (written) {
            lastProgressNanos = System.nanoTime();
            channel.flush();
        }
    }

    long bytes() {
        return bytes.get();
    }

    /** How long frames have waited without the socket taking any, in nanoseconds; 0 where none waits. */
    long stalledNanos(long now) {
        return frames.isEmpty() ? 0 : now - lastProgressNanos;
    }

    /** Nothing more is taken or written. */
    void close() {
        closed = true;
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

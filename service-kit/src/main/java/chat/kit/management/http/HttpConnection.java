package chat.kit.management.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tracks one connection: whether a request is in progress, the bytes of its response, and whether the client reads it.
 * Closes the connection if the socket accepts nothing of a response until the deadline. Netty's handler methods, and
 * those documented so, are called on the event loop; the others on any thread.
 */
final class HttpConnection extends ChannelDuplexHandler {
    private static final long MIN_PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** Checks of a stalled response before the deadline. */
    private static final int LOOKS = 15;

    private final Channel channel;
    private final HttpConnections all;
    private final LongSupplier nanoTime;
    private final long deadlineNanos;
    private final long periodNanos;

    private volatile boolean underWay;
    private volatile long idleSince;

    /** Guarded by this, as are the next two fields. */
    private long held;

    private long heldSince;
    private boolean ended;

    private @Nullable ChannelFuture lastWrite;
    private boolean watching;
    private long lookedNanos;
    private long stalledSince;
    private long stalledWith;

    HttpConnection(Channel channel, HttpConnections all, Duration deadline, LongSupplier nanoTime) {
        this.channel = channel;
        this.all = all;
        this.nanoTime = nanoTime;
        this.deadlineNanos = deadline.toNanos();
        this.periodNanos = Math.max(MIN_PERIOD_NANOS, deadlineNanos / LOOKS);
        this.idleSince = nanoTime.getAsLong();
    }

    // ------ requests ------

    void begin() {
        underWay = true;
    }

    void finished() {
        idleSince = nanoTime.getAsLong();
        underWay = false;
    }

    boolean isIdle() {
        return !underWay;
    }

    long idleSince() {
        return idleSince;
    }

    /** Runs the action when the socket has accepted everything written so far, possibly now. On the event loop. */
    void whenWritten(Runnable then) {
        ChannelFuture last = lastWrite;
        if (last == null || last.isDone()) then.run();
        else last.addListener(written -> then.run());
    }

    /**
     * Runs the action on the event loop when the socket has accepted or dropped everything written before. Any thread.
     */
    void afterWrites(Runnable then) {
        if (channel.eventLoop().inEventLoop()) whenWritten(then);
        else channel.eventLoop().execute(() -> whenWritten(then));
    }

    boolean isOpen() {
        return channel.isActive();
    }

    boolean isWritten() {
        ChannelFuture last = lastWrite;
        return last == null || last.isDone();
    }

    // ------ bytes ------

    /** Reserves bytes until {@link #release}; returns false if the limit is reached or the connection has ended. */
    boolean hold(long bytes) {
        if (!all.take(bytes)) return false;
        synchronized (this) {
            if (!ended) {
                if (held == 0) heldSince = nanoTime.getAsLong();
                held += bytes;
                return true;
            }
        }
        all.giveBack(bytes);
        return false;
    }

    synchronized void release(long bytes) {
        long released = Math.min(held, bytes); // an ended connection has released everything
        held -= released;
        all.giveBack(released);
    }

    synchronized boolean holdsSince(long latestNanos) {
        return held > 0 && latestNanos - heldSince >= 0;
    }

    synchronized long held() {
        return held;
    }

    synchronized long heldSince() {
        return heldSince;
    }

    private synchronized void releaseAll() {
        ended = true;
        all.giveBack(held);
        held = 0;
    }

    /**
     * Closes the connection, with a reset if the socket has not accepted everything: the system would retry for
     * minutes. Returns false if it was already closed.
     */
    boolean end() {
        synchronized (this) {
            if (ended) return false;
            ended = true;
        }
        if (channel.eventLoop().inEventLoop()) close();
        else channel.eventLoop().execute(this::close);
        return true;
    }

    private void close() {
        if (left() > 0 && channel.isOpen()) channel.config().setOption(ChannelOption.SO_LINGER, 0);
        channel.close();
    }

    /** On the event loop. */
    void leave() {
        all.remove(this);
        releaseAll();
        channel.pipeline().remove(this);
    }

    // ------ the socket ------

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        all.remove(this);
        releaseAll();
        context.fireChannelInactive();
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        ChannelPromise written = promise.unvoid();
        lastWrite = written;
        context.write(message, written);
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        context.flush();
        if (watching || left() == 0) return;
        stalled(nanoTime.getAsLong());
        watch();
    }

    private void watch() {
        watching = true;
        lookedNanos = nanoTime.getAsLong();
        channel.eventLoop().schedule(this::look, periodNanos, TimeUnit.NANOSECONDS);
    }

    private void look() {
        watching = false;
        long left = left();
        if (left == 0 || channel.attr(HttpConnections.KEY).get() != this) return;
        long now = nanoTime.getAsLong();
        if (left != stalledWith) stalled(now);
        // Nothing could be written while this process was paused.
        long pause = now - lookedNanos - periodNanos;
        if (pause >= periodNanos) stalledSince = Math.min(now, stalledSince + pause);
        if (now - stalledSince < deadlineNanos) {
            watch();
        } else {
            all.stalled.increment();
            end();
        }
    }

    private void stalled(long since) {
        stalledSince = since;
        stalledWith = left();
    }

    /** Returns the bytes that the socket has not accepted. */
    private long left() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes() - buffer.currentProgress();
    }
}

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
 * One connection: whether a request is under way, what its response holds, and whether the client takes it. A response
 * of which the socket takes nothing until the deadline ends the connection. The methods of Netty's handlers, and those
 * that say so, are called on the event loop; the others on any thread.
 */
final class HttpConnection extends ChannelDuplexHandler {
    private static final long MIN_PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** Looks at a stalled response until the deadline. */
    private static final int LOOKS = 15;

    private final Channel channel;
    private final HttpConnections all;
    private final LongSupplier nanoTime;
    private final long deadlineNanos;
    private final long periodNanos;

    private volatile boolean underWay;
    private volatile long idleSince;

    /** Guarded by this, as the two that follow. */
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

    /** Calls once the socket has taken all that was written so far, at once where it has. On the event loop. */
    void whenWritten(Runnable then) {
        ChannelFuture last = lastWrite;
        if (last == null || last.isDone()) then.run();
        else last.addListener(written -> then.run());
    }

    /** Calls once the socket has taken, or lost, all that was written before; from any thread, on the event loop. */
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

    /** Holds so many bytes more, until {@link #release}; false where there is no room for them, or the connection has ended. */
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
        long released = Math.min(held, bytes); // nothing is left of a connection that has ended
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
     * Closes, by a reset where the socket has not taken everything: the system would go on to offer it for minutes. False
     * where that has been done before.
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
        // While we stood still ourselves nothing could be written.
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

    /** Bytes that the socket has not taken. */
    private long left() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes() - buffer.currentProgress();
    }
}

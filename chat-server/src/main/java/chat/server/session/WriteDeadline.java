package chat.server.session;

import io.netty.channel.Channel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Sees to it that a socket takes something in time: looked at from when it does not until it has taken everything, and
 * never else, so it costs those nothing that read. Told at most a fifteenth of the deadline late, and never more than a
 * second. On the event loop.
 */
final class WriteDeadline {
    private static final long MAX_LATE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MIN_PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Channel channel;
    private final Outbox outbox;
    private final long deadlineNanos;
    private final long periodNanos;
    private final LongSupplier nanoTime;
    private final Runnable missed;
    private boolean watching;
    private long lookedNanos;

    /** @param missed the socket has taken nothing for so long while something waited */
    WriteDeadline(Channel channel, Outbox outbox, Duration deadline, LongSupplier nanoTime, Runnable missed) {
        this.channel = channel;
        this.outbox = outbox;
        this.deadlineNanos = deadline.toNanos();
        // One period until it is seen that the socket took something, and one until it is seen that it does no more.
        this.periodNanos = Math.max(MIN_PERIOD_NANOS, Math.min(MAX_LATE_NANOS, deadlineNanos / 15) / 2);
        this.nanoTime = nanoTime;
        this.missed = missed;
    }

    /** Something waits that the socket does not take. */
    void watch() {
        if (watching) return;
        watching = true;
        lookedNanos = nanoTime.getAsLong();
        channel.eventLoop().schedule(this::look, periodNanos, TimeUnit.NANOSECONDS);
    }

    private void look() {
        watching = false;
        if (!outbox.isStalled()) return;
        long now = nanoTime.getAsLong();
        long pause = now - lookedNanos - periodNanos;
        // While we stood still ourselves nothing could be written: else all members would lose their sockets at once.
        if (pause >= periodNanos) outbox.excusePause(now, pause);
        if (outbox.stalledNanos(now) > deadlineNanos) missed.run();
        else watch();
    }
}

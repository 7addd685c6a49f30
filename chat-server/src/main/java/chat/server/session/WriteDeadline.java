package chat.server.session;

import io.netty.channel.Channel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Detects a socket that accepts no bytes for too long. It checks only while frames wait, so it costs nothing for
 * sockets that read. It reports at most a fifteenth of the deadline late, and at most one second. Confined to the event
 * loop.
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
    private long checkedNanos;

    /** @param missed called when the socket accepted no bytes for the deadline while frames waited */
    WriteDeadline(Channel channel, Outbox outbox, Duration deadline, LongSupplier nanoTime, Runnable missed) {
        this.channel = channel;
        this.outbox = outbox;
        this.deadlineNanos = deadline.toNanos();
        // Detection takes up to two periods: one to see the last progress, one to see that none followed.
        this.periodNanos = Math.max(MIN_PERIOD_NANOS, Math.min(MAX_LATE_NANOS, deadlineNanos / 15) / 2);
        this.nanoTime = nanoTime;
        this.missed = missed;
    }

    /** Called when the socket stops accepting frames. */
    void watch() {
        if (watching) return;
        watching = true;
        checkedNanos = nanoTime.getAsLong();
        channel.eventLoop().schedule(this::check, periodNanos, TimeUnit.NANOSECONDS);
    }

    private void check() {
        watching = false;
        if (!outbox.isStalled()) return;
        long now = nanoTime.getAsLong();
        long pause = now - checkedNanos - periodNanos;
        // While this server paused, it could write nothing. Without this, all slow sockets would be closed at once.
        if (pause >= periodNanos) outbox.excusePause(now, pause);
        if (outbox.stalledNanos(now) > deadlineNanos) missed.run();
        else watch();
    }
}

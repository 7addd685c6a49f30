package chat.server.session;

import chat.protocol.CloseCode;
import chat.server.intake.Intake;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks one session periodically: sends pings, and closes a session that is silent, in no room for too long, or whose
 * token expires. Confined to the event loop.
 */
final class SessionWatch {
    private final Channel channel;
    private final SessionSettings settings;
    private final LongSupplier nanoTime;
    private final Intake intake;
    private final Owner owner;
    private @Nullable FrameGuard guard;
    private @Nullable ScheduledFuture<?> checks;
    private long lastHeardNanos;
    private long lastPingNanos;
    private long lastCheckNanos;

    /** The session that is checked. */
    interface Owner {
        /** Whether the session itself has stopped reading from its socket. */
        boolean isReadPaused();

        void close(CloseCode code);
    }

    /** @param nanoTime as {@link System#nanoTime} */
    SessionWatch(Channel channel, SessionSettings settings, LongSupplier nanoTime, Intake intake, Owner owner) {
        this.channel = channel;
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.intake = intake;
        this.owner = owner;
        this.lastHeardNanos = nanoTime.getAsLong();
        this.lastPingNanos = lastHeardNanos;
        this.lastCheckNanos = lastHeardNanos;
    }

    /** @param frames reports bytes that do not complete a frame; null: there is none */
    void start(@Nullable FrameGuard frames) {
        guard = frames;
        long period = periodMillis();
        checks = channel.eventLoop().scheduleWithFixedDelay(this::check, period, period, TimeUnit.MILLISECONDS);
    }

    void stop() {
        if (checks != null) checks.cancel(false);
        checks = null;
    }

    /** Records that the client has sent something. */
    void heard() {
        lastHeardNanos = nanoTime.getAsLong();
    }

    private long periodMillis() {
        return Math.max(50, settings.pingInterval().toMillis() / 10);
    }

    private void check() {
        if (checks == null) return;
        long now = nanoTime.getAsLong();
        FrameGuard frames = guard;
        if (frames != null) lastHeardNanos = Math.max(lastHeardNanos, frames.lastHeardNanos());
        excusePause(now);
        long silent = now - lastHeardNanos;
        // The client is not to blame for silence while the server does not read, or cannot send a ping because earlier
        // frames wait. The write deadline closes a client that accepts nothing.
        if (owner.isReadPaused() || !channel.isWritable()) lastHeardNanos = now;
        else checkSilence(silent);
        if (now - lastPingNanos >= settings.pingInterval().toNanos()) {
            lastPingNanos = now;
            if (channel.isWritable()) channel.writeAndFlush(new PingWebSocketFrame(Unpooled.EMPTY_BUFFER));
        }
        if (intake.millisWithoutRoom() > settings.withoutRoom().toMillis()) owner.close(CloseCode.NO_ROOM);
        // Up to one period early: the next check would be too late.
        if (intake.millisToTokenEnd() < periodMillis()) owner.close(CloseCode.TOKEN_EXPIRED);
    }

    /** Schedules an extra check for a deadline within this period; otherwise the close could be a period late. */
    private void checkSilence(long silent) {
        long left = settings.pingInterval().plus(settings.pingGrace()).toNanos() - silent;
        if (left < 0) owner.close(CloseCode.SILENT);
        else if (left < TimeUnit.MILLISECONDS.toNanos(periodMillis()))
            channel.eventLoop().schedule(this::check, left + 1, TimeUnit.NANOSECONDS);
    }

    /** Excludes a pause of this server, during which it read nothing; otherwise all sessions would close at once. */
    private void excusePause(long now) {
        long period = TimeUnit.MILLISECONDS.toNanos(periodMillis());
        long pause = now - lastCheckNanos - period;
        lastCheckNanos = now;
        if (pause < period) return;
        lastHeardNanos = Math.min(now, lastHeardNanos + pause);
    }
}

package chat.server.session;

import chat.log.LineFields;
import chat.protocol.CloseCode;
import chat.protocol.FrameError;
import chat.protocol.RoomId;
import chat.protocol.ServerFrames;
import chat.server.intake.Intake;
import chat.server.room.EventLoopQueue;
import chat.server.room.Frames;
import chat.server.room.Membership;
import chat.server.room.SlowCause;
import chat.server.room.Subscriber;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.reactive.socket.WebSocketMessage;
import org.springframework.web.reactive.socket.WebSocketSession;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * One socket. Reads one frame at a time, the next only when the intake has dealt with it, so a full log becomes TCP
 * back-pressure; writes through its outbox only. Confined to its event loop, except as {@link Subscriber}.
 */
final class ChatSession implements Subscriber, Intake.Session {
    private static final Logger logger = LoggerFactory.getLogger(ChatSession.class);
    private static final long SLOW_MILLIS = 100;

    private final Channel channel;
    private final EventLoopQueue queue;
    private final SessionSettings settings;
    private final SessionCounters counters;
    private final LongSupplier nanoTime;
    private final Outbox outbox;
    private final WriteDeadline writeDeadline;
    private final Intake intake;
    private final RoomId pathRoom;
    private final Sinks.Empty<Void> done = Sinks.empty();
    private final AtomicReference<@Nullable CloseCode> closing = new AtomicReference<>();

    private volatile @Nullable SlowCause slowCause;

    private @Nullable Subscription incoming;
    private @Nullable FrameGuard guard;
    private @Nullable ScheduledFuture<?> watching;
    private boolean readPaused;
    private long lastHeardNanos;
    private long lastPingNanos;
    private long lastWatchNanos;

    /** @param nanoTime as {@link System#nanoTime} */
    ChatSession(
            Channel channel,
            EventLoopQueue queue,
            RoomId pathRoom,
            SessionSettings settings,
            SessionCounters counters,
            LongSupplier nanoTime,
            Function<Intake.Session, Intake> intake) {
        this.channel = channel;
        this.queue = queue;
        this.pathRoom = pathRoom;
        this.settings = settings;
        this.counters = counters;
        this.nanoTime = nanoTime;
        this.lastHeardNanos = nanoTime.getAsLong();
        this.lastPingNanos = lastHeardNanos;
        this.lastWatchNanos = lastHeardNanos;
        this.outbox =
                new Outbox(channel, settings.outboxBytes(), nanoTime, () -> closeSlow(SlowCause.OUTBOX), this::stalls);
        this.writeDeadline = new WriteDeadline(channel, outbox, settings.writeDeadline(), nanoTime, this::takesNothing);
        this.intake = intake.apply(this);
    }

    /** Serves the socket; completes when it is closed. On the event loop. */
    Mono<Void> serve(WebSocketSession socket) {
        guard = channel.pipeline().get(FrameGuard.class);
        channel.pipeline().addAfter(GuardedUpgrade.GUARD, "outbox", outbox.handler());
        long period = watchMillis();
        watching = channel.eventLoop().scheduleWithFixedDelay(this::watch, period, period, TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(unused -> end());
        logger.atDebug()
                .addKeyValue(LineFields.SESSION, channel.id())
                .addKeyValue(LineFields.ROOM, pathRoom)
                .log("{} opened for room {}", channel.id(), pathRoom);
        socket.receive().subscribe(new Incoming());
        return done.asMono();
    }

    private long watchMillis() {
        return Math.max(50, settings.pingInterval().toMillis() / 10);
    }

    private final class Incoming extends BaseSubscriber<WebSocketMessage> {
        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            incoming = subscription;
            subscription.request(1);
        }

        @Override
        protected void hookOnNext(WebSocketMessage message) {
            lastHeardNanos = nanoTime.getAsLong();
            if (message.getType() != WebSocketMessage.Type.TEXT || closing.get() != null) {
                request(1);
                return;
            }
            byte[] utf8 = new byte[message.getPayload().readableByteCount()];
            message.getPayload().read(utf8); // Reactor Netty releases it
            counters.framesIn.increment();
            readPaused = true;
            if (guard != null) guard.hold();
            run(() -> intake.receive(utf8, pathRoom));
        }

        @Override
        protected void hookOnComplete() {
            end();
        }

        @Override
        protected void hookOnError(Throwable failure) {
            logger.atDebug()
                    .addKeyValue(LineFields.SESSION, channel.id())
                    .setCause(failure)
                    .log("a socket was lost");
            end();
        }
    }

    private void watch() {
        if (watching == null) return;
        long now = nanoTime.getAsLong();
        FrameGuard frames = guard;
        if (frames != null) lastHeardNanos = Math.max(lastHeardNanos, frames.lastHeardNanos());
        excusePause(now);
        long silent = now - lastHeardNanos;
        // A silence that we cause is not held against the client: by not reading, or because no ping reaches it as long
        // as it takes what was written before; whether it does is what the write deadline watches.
        if (readPaused || !channel.isWritable()) lastHeardNanos = now;
        else endSilence(silent);
        if (now - lastPingNanos >= settings.pingInterval().toNanos()) {
            lastPingNanos = now;
            if (channel.isWritable()) channel.writeAndFlush(new PingWebSocketFrame(Unpooled.EMPTY_BUFFER));
        }
        if (intake.millisWithoutRoom() > settings.withoutRoom().toMillis()) close(CloseCode.NO_ROOM);
        // Rather a moment early: when it is looked at next, it would be too late.
        if (intake.millisToTokenEnd() < watchMillis()) close(CloseCode.TOKEN_EXPIRED);
    }

    /** On time: looked at regularly only, it might last longer by a period. */
    private void endSilence(long silent) {
        long left = settings.pingInterval().plus(settings.pingGrace()).toNanos() - silent;
        if (left < 0) close(CloseCode.SILENT);
        else if (left < TimeUnit.MILLISECONDS.toNanos(watchMillis()))
            channel.eventLoop().schedule(this::watch, left + 1, TimeUnit.NANOSECONDS);
    }

    /** While we stood still ourselves nothing could be heard: else all members would lose their sockets at once. */
    private void excusePause(long now) {
        long period = TimeUnit.MILLISECONDS.toNanos(watchMillis());
        long pause = now - lastWatchNanos - period;
        lastWatchNanos = now;
        if (pause < period) return;
        lastHeardNanos = Math.min(now, lastHeardNanos + pause);
    }

    @Override
    public void readMore() {
        readPaused = false;
        Subscription reading = incoming;
        if (reading != null) reading.request(1);
        // That may have brought the next frame already.
        if (!readPaused && guard != null) guard.release(channel);
    }

    @Override
    public Subscriber subscriber() {
        return this;
    }

    @Override
    public void reply(FrameError error) {
        send(Frames.text(ServerFrames.error(error)));
    }

    @Override
    public void tokenTaken(long expiresAt) {
        send(Frames.text(ServerFrames.token(expiresAt)));
    }

    @Override
    public long tokenExpiresAt() {
        return intake.tokenExpiresAt();
    }

    @Override
    public void abused() {
        close(CloseCode.TOO_MANY_FAULTS);
    }

    @Override
    public void tooFast() {
        close(CloseCode.TOO_FAST);
    }

    @Override
    public void executeAfter(long nanos, Runnable step) {
        try {
            channel.eventLoop().schedule(() -> run(step), nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException loopIsDown) {
            // The server has stopped.
        }
    }

    @Override
    public void execute(Runnable step) {
        try {
            channel.eventLoop().execute(() -> run(step));
        } catch (RejectedExecutionException loopIsDown) {
            // The server has stopped.
        }
    }

    /** A step that fails may have been the one to go on with: rather than hang, the session ends. */
    private void run(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error bug) {
            logger.atError()
                    .addKeyValue(LineFields.SESSION, channel.id())
                    .setCause(bug)
                    .log("a step of a session failed");
            close(CloseCode.INTERNAL_ERROR);
        }
    }

    @Override
    public String id() {
        return channel.id().asShortText();
    }

    @Override
    public EventLoopQueue queue() {
        return queue;
    }

    @Override
    public void send(ByteBuf webSocketFrame) {
        counters.framesOut.increment();
        outbox.offer(webSocketFrame);
    }

    @Override
    public void send(ByteBuf webSocketFrame, Membership to) {
        counters.framesOut.increment();
        outbox.offer(webSocketFrame, to);
    }

    @Override
    public void write(ByteBuf webSocketFrame) {
        counters.framesOut.increment();
        outbox.write(webSocketFrame, null);
    }

    @Override
    public void write(ByteBuf webSocketFrame, Membership to) {
        counters.framesOut.increment();
        outbox.write(webSocketFrame, to);
    }

    @Override
    public void flush() {
        outbox.flush();
    }

    @Override
    public boolean keepsUp() {
        // The outbox learns of what was sent on its own thread. What frames take is known at once: of thousands who
        // catch up together none is to be closed for what it has just been given. The third quarter is for those who
        // have taken all that they got: a few that take next to nothing cannot hold them up.
        long forAll = settings.outboxTotalBytes() / 4 * (outbox.heldBytes() == 0 ? 3 : 2);
        return outbox.bytes() < settings.outboxBytes() / 4 && Frames.bytesInUse() < forAll;
    }

    @Override
    public boolean isOpen() {
        return closing.get() == null && channel.isActive();
    }

    /** Whether there is a connection to its client, as far as this machine knows. */
    boolean isConnected() {
        return channel.isActive();
    }

    long outboxBytes() {
        return outbox.bytes();
    }

    /** In the outbox and in Netty, until they are sent; shared frames in full. */
    long heldBytes() {
        return outbox.heldBytes();
    }

    @Override
    public void close(CloseCode code) {
        close(code, code == CloseCode.SILENT); // nobody is there to answer
    }

    private void stalls() {
        writeDeadline.watch();
    }

    /** It would not take a close frame, either. */
    private void takesNothing() {
        closeSlow(SlowCause.DEADLINE, true);
    }

    @Override
    public void closeSlow(SlowCause cause) {
        closeSlow(cause, false);
    }

    private void closeSlow(SlowCause cause, boolean atOnce) {
        // Of two at the same moment either is right.
        if (slowCause == null) slowCause = cause;
        close(CloseCode.SLOW, atOnce);
    }

    /** @param atOnce without waiting for the peer's close frame */
    private void close(CloseCode code, boolean atOnce) {
        if (!closing.compareAndSet(null, code)) return;
        execute(() -> {
            counters.closed(code, slowCause);
            try {
                intake.close();
                sayBye(code, atOnce);
            } catch (RuntimeException | Error failure) {
                channel.close(); // nothing else would any more
                throw failure;
            }
        });
    }

    private void sayBye(CloseCode code, boolean atOnce) {
        if (code != CloseCode.SLOW) outbox.flush();
        outbox.close();
        ChannelFuture closeFrame = channel.writeAndFlush(new CloseWebSocketFrame(code.number(), code.reason()));
        if (atOnce) {
            FrameGuard.end(closeFrame);
            return;
        }
        // What still comes is dropped; unread it would reset the connection before the peer has read why.
        Subscription reading = incoming;
        if (reading != null) reading.request(Long.MAX_VALUE);
        if (guard != null) guard.release(channel);
    }

    void closeAfter(long millis, CloseCode code) {
        execute(() -> channel.eventLoop().schedule(() -> close(code), millis, TimeUnit.MILLISECONDS));
    }

    /** Cleans up, whatever ended the socket first. */
    private void end() {
        execute(() -> {
            if (watching == null) return;
            long begun = nanoTime.getAsLong();
            watching.cancel(false);
            watching = null;
            closing.compareAndSet(null, CloseCode.NORMAL);
            logger.atDebug()
                    .addKeyValue(LineFields.SESSION, channel.id())
                    .log("{} has ended: {}", channel.id(), closing.get());
            outbox.close();
            try {
                intake.end();
            } finally {
                done.tryEmitEmpty(); // WebFlux closes the socket then, politely where it still can
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - begun);
            // All others of this event loop have waited for it.
            if (millis > SLOW_MILLIS)
                logger.atWarn()
                        .addKeyValue(LineFields.SESSION, channel.id())
                        .log("cleaning up after a socket took {} ms", millis);
        });
    }
}

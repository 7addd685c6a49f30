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
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
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
 * Serves one socket. It reads the next frame only after the intake has finished the previous one, so a full log causes
 * TCP back-pressure, and writes only through its outbox. {@link SessionState} describes its life cycle. Confined to its
 * event loop, except for the methods of {@link Subscriber}.
 */
final class ChatSession implements Subscriber, Intake.Session, SessionWatch.Owner {
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
    private final SessionState state = new SessionState();
    private final SessionWatch watch;

    private volatile @Nullable SlowCause slowCause;

    private @Nullable Subscription incoming;
    private @Nullable FrameGuard guard;
    private boolean readPaused;

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
        this.outbox = new Outbox(
                channel, settings.outboxBytes(), nanoTime, () -> closeSlow(SlowCause.OUTBOX), this::outboxStalled);
        this.writeDeadline =
                new WriteDeadline(channel, outbox, settings.writeDeadline(), nanoTime, this::writeDeadlineMissed);
        this.intake = intake.apply(this);
        this.watch = new SessionWatch(channel, settings, nanoTime, this.intake, this);
    }

    /** Opens the session; completes when the session has ended. On the event loop. */
    Mono<Void> serve(WebSocketSession socket) {
        guard = channel.pipeline().get(FrameGuard.class);
        channel.pipeline().addAfter(GuardedUpgrade.GUARD, "outbox", outbox.handler());
        watch.start(guard);
        channel.closeFuture().addListener(unused -> end());
        logger.atDebug()
                .addKeyValue(LineFields.SESSION, channel.id())
                .addKeyValue(LineFields.ROOM, pathRoom)
                .log("{} opened for room {}", channel.id(), pathRoom);
        socket.receive().subscribe(new Incoming());
        return done.asMono();
    }

    private final class Incoming extends BaseSubscriber<WebSocketMessage> {
        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            incoming = subscription;
            subscription.request(1);
        }

        @Override
        protected void hookOnNext(WebSocketMessage message) {
            watch.heard();
            if (message.getType() != WebSocketMessage.Type.TEXT || !state.isOpen()) {
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
                    .log("{} lost its connection; the session ends", channel.id());
            end();
        }
    }

    @Override
    public void readMore() {
        readPaused = false;
        Subscription reading = incoming;
        if (reading != null) reading.request(1);
        // The request may have delivered the next frame already.
        if (!readPaused && guard != null) guard.release(channel);
    }

    @Override
    public boolean isReadPaused() {
        return readPaused;
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
    public void tokenAccepted(long expiresAt) {
        send(Frames.text(ServerFrames.token(expiresAt)));
    }

    @Override
    public long tokenExpiresAt() {
        return intake.tokenExpiresAt();
    }

    @Override
    public void tooManyFaults() {
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

    /** Closes the session if a step fails: without that step it might wait forever. */
    private void run(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error bug) {
            logger.atError()
                    .addKeyValue(LineFields.SESSION, channel.id())
                    .setCause(bug)
                    .log("Session {} failed; closing it with {}", channel.id(), CloseCode.INTERNAL_ERROR);
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
        // The outbox counts sent frames later, on its own thread; the memory of frames is known at once. So thousands
        // of sessions that catch up together do not exceed the limit. The third quarter is reserved for sessions that
        // have read everything: a few slow readers cannot delay them.
        long forAll = settings.outboxTotalBytes() / 4 * (outbox.heldBytes() == 0 ? 3 : 2);
        return outbox.bytes() < settings.outboxBytes() / 4 && Frames.bytesInUse() < forAll;
    }

    @Override
    public boolean isOpen() {
        return state.isOpen() && channel.isActive();
    }

    /** Whether this host considers the connection open. */
    boolean isConnected() {
        return channel.isActive();
    }

    long outboxBytes() {
        return outbox.bytes();
    }

    /** Bytes in the outbox and in Netty that are not sent; a shared frame counts in full. Any thread. */
    long heldBytes() {
        return outbox.heldBytes();
    }

    @Override
    public void close(CloseCode code) {
        close(code, code == CloseCode.SILENT); // a silent client will not respond to a close frame
    }

    private void outboxStalled() {
        writeDeadline.watch();
    }

    /** Does not wait for a close handshake: the socket accepts no bytes. */
    private void writeDeadlineMissed() {
        closeSlow(SlowCause.DEADLINE, true);
    }

    @Override
    public void closeSlow(SlowCause cause) {
        closeSlow(cause, false);
    }

    private void closeSlow(SlowCause cause, boolean atOnce) {
        // If two causes occur at the same time, either is correct.
        if (slowCause == null) slowCause = cause;
        close(CloseCode.SLOW, atOnce);
    }

    /** @param atOnce without waiting for the peer's close frame */
    private void close(CloseCode code, boolean atOnce) {
        if (!state.close(code)) return;
        execute(() -> {
            counters.closed(code, slowCause);
            try {
                intake.close();
                sendClose(code, atOnce);
            } catch (RuntimeException | Error failure) {
                channel.close(); // no later step would close it
                throw failure;
            }
        });
    }

    private void sendClose(CloseCode code, boolean atOnce) {
        if (code != CloseCode.SLOW) outbox.flush();
        outbox.close();
        ChannelFuture closeFrame = channel.writeAndFlush(new CloseWebSocketFrame(code.number(), code.reason()));
        if (atOnce) {
            FrameGuard.end(closeFrame);
            return;
        }
        // Read and drop further frames: unread bytes would reset the connection before the peer reads the close code.
        Subscription reading = incoming;
        if (reading != null) reading.request(Long.MAX_VALUE);
        if (guard != null) guard.release(channel);
    }

    /** Closes the session after a delay in milliseconds. Any thread. */
    void closeAfter(long millis, CloseCode code) {
        execute(() -> channel.eventLoop().schedule(() -> close(code), millis, TimeUnit.MILLISECONDS));
    }

    /** Ends the session, once, for whatever reason the connection closed. Any thread. */
    private void end() {
        execute(() -> {
            if (!state.end()) return;
            long begun = nanoTime.getAsLong();
            watch.stop();
            logger.atDebug()
                    .addKeyValue(LineFields.SESSION, channel.id())
                    .log("{} has ended: {}", channel.id(), state.code());
            outbox.close();
            try {
                intake.end();
            } finally {
                done.tryEmitEmpty(); // WebFlux then closes the socket, with a close frame if possible
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - begun);
            if (millis > SLOW_MILLIS)
                logger.atWarn()
                        .addKeyValue(LineFields.SESSION, channel.id())
                        .log("Cleanup of a session took {} ms and delayed its event loop", millis);
        });
    }
}

package chat.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import chat.kit.identity.Identity;
import chat.kit.identity.Role;
import chat.kit.identity.RoomPatterns;
import chat.kit.identity.RoomRights;
import chat.log.InMemoryRoomLog;
import chat.log.LineFields;
import chat.log.LogCounters;
import chat.log.LogSettings;
import chat.protocol.CloseCode;
import chat.protocol.FrameDecoder;
import chat.protocol.FrameRules;
import chat.protocol.RoomId;
import chat.server.admission.TestRates;
import chat.server.identity.SessionIdentity;
import chat.server.intake.Intake;
import chat.server.intake.IntakeCounters;
import chat.server.intake.IntakeSettings;
import chat.server.intake.MessageIds;
import chat.server.room.BreakableLog;
import chat.server.room.EventLoopQueue;
import chat.server.room.Frames;
import chat.server.room.NoHistory;
import chat.server.room.RoomCounters;
import chat.server.room.Rooms;
import chat.server.room.SlowCause;
import chat.server.room.TestRoomSettings;
import chat.server.room.TestRooms;
import chat.testing.LoggedLines;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.Proxy;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.util.unit.DataSize;
import org.springframework.web.reactive.socket.WebSocketMessage;
import org.springframework.web.reactive.socket.WebSocketSession;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

class ChatSessionTest {
    private static final Duration PING = Duration.ofMillis(100);

    private final InMemoryRoomLog memory = new InMemoryRoomLog(1, 1 << 20, Clock.systemUTC());
    private final BreakableLog log = new BreakableLog(memory);
    private final RoomCounters roomCounters = new RoomCounters();
    private final IntakeCounters intakeCounters = new IntakeCounters();
    private final Sinks.Many<WebSocketMessage> received = Sinks.many().unicast().onBackpressureBuffer();
    private final Rooms rooms = TestRooms.of(
            log,
            new TestRoomSettings().pingInterval(PING).settings(),
            LogSettings.DEFAULT,
            Clock.systemUTC(),
            new NoHistory(),
            new LogCounters(),
            roomCounters);
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final AtomicLong nanos = new AtomicLong();
    private final SessionCounters counters = new SessionCounters();

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
        rooms.close();
        memory.close();
    }

    /** Each alone is far from its bound. */
    @Test
    void
            whoCatchesUpWaitsWhereFramesOfOthersTakeThreeQuartersOfWhatAllMayTakeAndWithSomethingLeftToTakeWhereTheyTakeHalf() {
        ChatSession session = session(PING);
        ByteBuf half = Frames.text(new byte[33 << 20]);
        try {
            assertThat(session.keepsUp()).isTrue();
            getStuckWith(session);
            channel.runPendingTasks();
            assertThat(session.keepsUp()).isFalse();
            channel.pipeline().remove("stuck");
            channel.flush();
            assertThat(session.keepsUp()).isTrue();

            ByteBuf more = Frames.text(new byte[16 << 20]);
            assertThat(session.keepsUp()).isFalse();
            more.release();
            assertThat(session.keepsUp()).isTrue();
        } finally {
            half.release();
        }
    }

    private ChatSession session(Duration writeDeadline) {
        return session(PING, writeDeadline, SessionIdentity.unverified());
    }

    private ChatSession session(Duration ping, Duration writeDeadline, SessionIdentity speaker) {
        return session(channel, ping, writeDeadline, speaker);
    }

    private ChatSession session(
            EmbeddedChannel channel, Duration ping, Duration writeDeadline, SessionIdentity speaker) {
        channel.freezeTime();
        channel.pipeline().addFirst(GuardedUpgrade.GUARD, (ChannelHandler)
                new FrameGuard(1024, new WireSettings(1000, 100), nanos::get, code -> {}));
        ChatSession session = new ChatSession(
                channel,
                new EventLoopQueue(channel.eventLoop(), 1 << 20),
                new RoomId("room"),
                new SessionSettings(
                        DataSize.ofKilobytes(256),
                        DataSize.ofMegabytes(64),
                        DataSize.ofMegabytes(1),
                        ping,
                        ping,
                        writeDeadline,
                        Duration.ofHours(1),
                        DataSize.ofBytes(0),
                        DataSize.ofBytes(0)),
                counters,
                nanos::get,
                self -> new Intake(
                        rooms,
                        new FrameDecoder(FrameRules.DEFAULT),
                        new IntakeSettings(1, 1, 1),
                        Clock.systemUTC(),
                        nanos::get,
                        new MessageIds(Clock.systemUTC()),
                        intakeCounters,
                        TestRates.unlimited(),
                        new byte[0],
                        speaker,
                        self));
        session.serve(socket(channel.equals(this.channel) ? received.asFlux() : Flux.never()))
                .subscribe();
        channel.pipeline().addLast(new CutHandler());
        return session;
    }

    /** As Reactor Netty's last handler: it handles frames that were not sent. */
    private static final class CutHandler extends ChannelInboundHandlerAdapter {
        @Override
        @SuppressWarnings("deprecation") // of the interface that declares it, not of this
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (!(cause instanceof ClosedChannelException)) context.fireExceptionCaught(cause);
        }
    }

    private static WebSocketSession socket(Flux<WebSocketMessage> received) {
        return (WebSocketSession) Proxy.newProxyInstance(
                WebSocketSession.class.getClassLoader(),
                new Class<?>[] {WebSocketSession.class},
                (self, method, args) -> {
                    if (method.getName().equals("receive")) return received;
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    /** The socket takes nothing more for now. */
    private void fill() {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
        channel.write(Unpooled.buffer(8).writeLong(0));
        assertThat(channel.isWritable()).isFalse();
    }

    /** Frames of the session stay in the channel until the handler "stuck" is removed. */
    private void getStuckWith(ChatSession session) {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
        channel.pipeline().addFirst("stuck", new StuckHandler());
        session.send(Unpooled.buffer(8).writeLong(0));
    }

    private static final class StuckHandler extends ChannelOutboundHandlerAdapter {
        @Override
        public void flush(ChannelHandlerContext context) {}
    }

    @Test
    void clientThatHasNotReceivedThePingIsNotSilent() {
        ChatSession session = session(Duration.ofHours(1));
        fill();
        pass(PING.multipliedBy(6));
        assertThat(session.isOpen()).isTrue();

        channel.config().setWriteBufferWaterMark(WriteBufferWaterMark.DEFAULT);
        channel.flush();
        pass(PING.multipliedBy(6));
        assertThat(session.isOpen()).isFalse();
        assertThat(counters.byCode(CloseCode.SILENT).sum()).isEqualTo(1);
    }

    @Test
    void largestBacklogIsSlowestIncludingNettysBuffer() {
        ChatSession reads = session(Duration.ofHours(1));
        fill();
        reads.send(Unpooled.buffer(1024).writeZero(1024));
        EmbeddedChannel plugged = new EmbeddedChannel();
        ChatSession readsNothing = session(plugged, PING, Duration.ofHours(1), SessionIdentity.unverified());
        plugged.pipeline().addFirst("stuck", new StuckHandler());
        readsNothing.send(Unpooled.buffer(1 << 17).writeZero(1 << 17));
        channel.runPendingTasks();
        plugged.runPendingTasks();
        Sessions sessions = new Sessions();
        sessions.add(reads);
        sessions.add(readsNothing);

        sessions.closeSlowest(1 << 16);
        assertThat(readsNothing.isOpen()).isFalse();
        assertThat(reads.isOpen()).isTrue();
        plugged.runPendingTasks();
        assertSlow(SlowCause.TOTAL);
        sessions.closeSlowest(1 << 16);
        assertThat(reads.isOpen())
                .as("what is being closed still holds as much")
                .isTrue();
        plugged.pipeline().remove("stuck");
        plugged.flush();
        plugged.releaseOutbound();
    }

    @Test
    void stalledSocketIsSlowWithAnEmptyOutbox() {
        ChatSession session = session(PING);
        getStuckWith(session);
        pass(PING.multipliedBy(2));
        assertThat(session.isOpen()).isFalse();
        assertThat(counters.byCode(CloseCode.SLOW).sum()).isEqualTo(1);
        assertSlow(SlowCause.DEADLINE);
    }

    @Test
    void fullOutboxIsSlow() {
        ChatSession session = session(Duration.ofHours(1));
        fill();
        for (int i = 0; i < 3; i++) session.send(Unpooled.buffer(1 << 17).writeZero(1 << 17));
        channel.runPendingTasks();
        assertThat(session.isOpen()).isFalse();
        assertSlow(SlowCause.OUTBOX);
    }

    @Test
    void socketSlowInTwoWaysIsCountedOnce() {
        ChatSession session = session(Duration.ofHours(1));
        session.closeSlow(SlowCause.ACKNOWLEDGEMENTS);
        session.closeSlow(SlowCause.OUTBOX);
        channel.runPendingTasks();
        assertThat(counters.byCode(CloseCode.SLOW).sum()).isEqualTo(1);
        assertSlow(SlowCause.ACKNOWLEDGEMENTS);
    }

    @Test
    void socketClosedForAnotherReasonIsNotCountedAsSlow() {
        ChatSession session = session(Duration.ofHours(1));
        session.close(CloseCode.GOING_AWAY);
        session.closeSlow(SlowCause.OUTBOX);
        channel.runPendingTasks();
        for (SlowCause cause : SlowCause.values())
            assertThat(counters.byCause(cause).sum()).isZero();
    }

    private void assertSlow(SlowCause expected) {
        for (SlowCause cause : SlowCause.values())
            assertThat(counters.byCause(cause).sum()).as(cause.name()).isEqualTo(cause == expected ? 1 : 0);
    }

    @Test
    void stalledSocketIsClosedWithinASecondOfTheDeadline() {
        Duration deadline = Duration.ofSeconds(15);
        ChatSession session = session(Duration.ofHours(1), deadline, SessionIdentity.unverified());
        pass(Duration.ofMillis(777));
        getStuckWith(session);
        channel.runPendingTasks();
        pass(deadline);
        assertThat(session.isOpen()).isTrue();
        pass(Duration.ofSeconds(1));
        assertThat(channel.isOpen()).isFalse();
        assertThat(counters.byCode(CloseCode.SLOW).sum()).isEqualTo(1);
    }

    @Test
    void deadlineRunsFromTheLastByteRead() {
        Duration deadline = Duration.ofSeconds(15);
        TricklingChannel narrow = new TricklingChannel();
        ChatSession session = session(narrow, Duration.ofHours(1), deadline, SessionIdentity.unverified());
        narrow.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
        session.send(Unpooled.buffer(64).writeZero(64));
        narrow.runPendingTasks();
        for (int taken = 1; taken < 8; taken++) {
            pass(Duration.ofMillis(9_990), narrow);
            narrow.takes(1);
        }
        pass(deadline, narrow);
        assertThat(session.isOpen()).isTrue();
        pass(Duration.ofSeconds(1), narrow);
        assertThat(narrow.isOpen()).isFalse();
        assertThat(counters.byCode(CloseCode.SLOW).sum()).isEqualTo(1);
    }

    /** A pause of the whole process, a virtual machine's for example. */
    @Test
    void pauseOfTheServerTimesOutNoClient() {
        ChatSession session = session(PING);
        getStuckWith(session);
        channel.runPendingTasks();
        step(PING.multipliedBy(6), channel);
        assertThat(session.isOpen()).isTrue();
        channel.pipeline().remove("stuck");
        channel.flush();
        step(PING.multipliedBy(6), channel);
        assertThat(session.isOpen()).isTrue();
        pass(PING.multipliedBy(6));
        assertThat(session.isOpen()).isFalse();
        assertThat(counters.byCode(CloseCode.SILENT).sum()).isEqualTo(1);
    }

    @Test
    void silentSocketIsClosedOnTime() {
        Duration ping = Duration.ofSeconds(25); // looked at each 2.5 s
        ChatSession session = session(ping, Duration.ofHours(1), SessionIdentity.unverified());
        pass(ping.plus(ping));
        assertThat(session.isOpen()).isTrue();
        pass(Duration.ofMillis(1));
        assertThat(channel.isOpen()).isFalse();
        assertThat(counters.byCode(CloseCode.SILENT).sum()).isEqualTo(1);
    }

    private void pass(Duration time) {
        pass(time, channel);
    }

    /** Without any pause. */
    private void pass(Duration time, EmbeddedChannel of) {
        long end = nanos.get() + time.toNanos();
        long tick = TimeUnit.MILLISECONDS.toNanos(5);
        while (nanos.get() < end) step(Duration.ofNanos(Math.min(tick, end - nanos.get())), of);
    }

    private void step(Duration by, EmbeddedChannel of) {
        nanos.addAndGet(by.toNanos());
        of.advanceTimeBy(by.toNanos(), TimeUnit.NANOSECONDS);
        of.runScheduledPendingTasks();
        of.runPendingTasks();
    }

    @Test
    void failingStepEndsTheSession() {
        ChatSession session = session(Duration.ofHours(1));
        session.execute(() -> {
            throw new IllegalStateException("as a bug would");
        });
        channel.runPendingTasks();
        assertThat(session.isOpen()).isFalse();
        assertThat(counters.byCode(CloseCode.INTERNAL_ERROR).sum()).isEqualTo(1);
    }

    @Test
    void closingSocketDropsQueuedMessages() {
        ChatSession session = session(Duration.ofHours(1));
        log.hold();
        receive("[" + said("JOIN", "") + "," + said("TEXT", "\"message\":\"unsaid\",") + "]");
        session.close(CloseCode.OUTCOME_UNKNOWN);
        log.mend();
        Awaitility.await().until(() -> roomCounters.memberships.sum() == 1);
        channel.runPendingTasks();
        assertThat(intakeCounters.taken.sum()).isEqualTo(1);
        assertThat(session.isOpen()).isFalse();
    }

    private void receive(String frame) {
        DataBuffer payload = DefaultDataBufferFactory.sharedInstance.wrap(frame.getBytes(StandardCharsets.UTF_8));
        received.emitNext(
                new WebSocketMessage(WebSocketMessage.Type.TEXT, payload), Sinks.EmitFailureHandler.FAIL_FAST);
    }

    private static String said(String type, String more) {
        return "{\"messageType\":\"" + type + "\"," + more
                + "\"userId\":\"1\",\"username\":\"anna\",\"timestamp\":\"2026-11-20T10:00:00Z\"}";
    }

    @Test
    void socketClosesEvenIfReleasingFails() {
        ChatSession session = session(Duration.ofHours(1));
        fill();
        session.send(
                new UnpooledHeapByteBuf(UnpooledByteBufAllocator.DEFAULT, 8, 8) {
                    @Override
                    protected void deallocate() {
                        throw new IllegalStateException("as a bug would");
                    }
                }.writeLong(0));
        channel.runPendingTasks();
        session.close(CloseCode.GOING_AWAY);
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
        assertThat(counters.byCode(CloseCode.GOING_AWAY).sum()).isEqualTo(1);
    }

    @Test
    void slowCleanUpIsLogged() {
        ChatSession session = session(Duration.ofHours(1));
        fill();
        session.send(
                new UnpooledHeapByteBuf(UnpooledByteBufAllocator.DEFAULT, 8, 8) {
                    @Override
                    protected void deallocate() {
                        nanos.addAndGet(Duration.ofMillis(101).toNanos());
                        super.deallocate();
                    }
                }.writeLong(0));
        channel.runPendingTasks();
        try (LoggedLines lines = LoggedLines.of(ChatSession.class.getName(), Level.WARN)) {
            channel.close();
            channel.runPendingTasks();
            assertThat(lines.texts(LineFields.SESSION, channel.id()))
                    .containsExactly("Cleanup of a session took 101 ms and delayed its event loop");
        }
    }

    @Test
    void sessionEndsJustBeforeItsToken() {
        Duration ping = Duration.ofHours(1); // it is looked at ten times in between
        Instant end = Instant.parse("2026-11-20T10:00:00Z");
        AtomicReference<Instant> now = new AtomicReference<>(end.minus(Duration.ofMinutes(13)));
        RoomRights rights = new RoomRights(RoomPatterns.ALL, RoomPatterns.NONE, RoomPatterns.NONE);
        SessionIdentity speaker = SessionIdentity.of(
                new Identity("1", "anna", "Anna", rights, Role.MEMBER, end, end),
                token -> new CompletableFuture<>(),
                at(now));
        ChatSession session = session(ping, ping, speaker);
        assertThat(session.tokenExpiresAt()).isEqualTo(end.toEpochMilli());
        for (int minutes = 13; minutes > 1; minutes -= 6) {
            assertThat(session.isOpen()).isTrue();
            now.set(end.minus(Duration.ofMinutes(minutes - 6)));
            step(Duration.ofMinutes(6), channel);
        }
        assertThat(session.isOpen()).isFalse();
        assertThat(counters.byCode(CloseCode.TOKEN_EXPIRED).sum()).isEqualTo(1);
    }

    private static Clock at(AtomicReference<Instant> now) {
        return new Clock() {
            @Override
            public Instant instant() {
                return now.get();
            }

            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                throw new UnsupportedOperationException();
            }
        };
    }
}

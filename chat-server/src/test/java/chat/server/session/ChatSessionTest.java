package chat.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import chat.identity.Identity;
import chat.identity.Role;
import chat.identity.RoomPatterns;
import chat.identity.RoomRights;
import chat.log.InMemoryRoomLog;
import chat.log.LogCounters;
import chat.log.LogSettings;
import chat.protocol.CloseCode;
import chat.protocol.FrameDecoder;
import chat.protocol.FrameRules;
import chat.protocol.RoomId;
import chat.server.identity.Speaker;
import chat.server.intake.Intake;
import chat.server.intake.IntakeCounters;
import chat.server.intake.IntakeSettings;
import chat.server.intake.MessageIds;
import chat.server.rate.TestRates;
import chat.server.room.Lane;
import chat.server.room.NoHistory;
import chat.server.room.RoomCounters;
import chat.server.room.Rooms;
import chat.server.room.TestRoomSettings;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.web.reactive.socket.WebSocketSession;
import reactor.core.publisher.Flux;

class ChatSessionTest {
    private static final Duration PING = Duration.ofMillis(100);

    private final InMemoryRoomLog log = new InMemoryRoomLog(1, 1 << 20, Clock.systemUTC());
    private final Rooms rooms = new Rooms(
            log,
            new TestRoomSettings().pingInterval(PING).settings(),
            LogSettings.DEFAULT,
            Clock.systemUTC(),
            new NoHistory(),
            new LogCounters(),
            new RoomCounters());
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final SessionCounters counters = new SessionCounters();

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
        rooms.close();
        log.close();
    }

    private ChatSession session(Duration writeDeadline) {
        return session(PING, writeDeadline, Speaker.anybody());
    }

    private ChatSession session(Duration ping, Duration writeDeadline, Speaker speaker) {
        return session(channel, ping, writeDeadline, speaker);
    }

    private ChatSession session(EmbeddedChannel channel, Duration ping, Duration writeDeadline, Speaker speaker) {
        channel.pipeline().addFirst(GuardedUpgrade.GUARD, (ChannelHandler)
                new FrameGuard(1024, new WireSettings(1000, 100), System::nanoTime, code -> {}));
        ChatSession session = new ChatSession(
                channel,
                new Lane(channel.eventLoop(), 1 << 20),
                new RoomId("room"),
                new SessionSettings(256 * 1024, 64 << 20, 1 << 20, ping, ping, writeDeadline, Duration.ofHours(1)),
                counters,
                self -> new Intake(
                        rooms,
                        new FrameDecoder(FrameRules.DEFAULT),
                        new IntakeSettings(1, 1, 1),
                        Clock.systemUTC(),
                        System::nanoTime,
                        new MessageIds(Clock.systemUTC()),
                        new IntakeCounters(),
                        TestRates.unlimited(),
                        new byte[0],
                        speaker,
                        self));
        session.serve(socket()).subscribe();
        return session;
    }

    /** A peer that says nothing. */
    private static WebSocketSession socket() {
        return (WebSocketSession) Proxy.newProxyInstance(
                WebSocketSession.class.getClassLoader(),
                new Class<?>[] {WebSocketSession.class},
                (self, method, args) -> {
                    if (method.getName().equals("receive")) return Flux.never();
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    /** The socket takes nothing more for now. */
    private void fill() {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
        channel.write(Unpooled.buffer(8).writeLong(0));
        assertThat(channel.isWritable()).isFalse();
    }

    /** What the session sends stays in the channel until the handler "stuck" is removed. */
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
    void whoCannotGetOurPingYetIsNotSilent() {
        ChatSession session = session(Duration.ofHours(1));
        fill();
        long enough = System.nanoTime() + PING.multipliedBy(6).toNanos();
        Awaitility.await().until(() -> {
            channel.runScheduledPendingTasks();
            return System.nanoTime() > enough;
        });
        assertThat(session.isOpen()).isTrue();

        channel.config().setWriteBufferWaterMark(WriteBufferWaterMark.DEFAULT);
        channel.flush();
        awaitClosed(session);
        assertThat(counters.byCode(CloseCode.SILENT).sum()).isEqualTo(1);
    }

    @Test
    void whoHoldsMostIsSlowestThoughNettyHasItAlready() {
        ChatSession reads = session(Duration.ofHours(1));
        fill();
        reads.send(Unpooled.buffer(1024).writeZero(1024));
        EmbeddedChannel plugged = new EmbeddedChannel();
        ChatSession readsNothing = session(plugged, PING, Duration.ofHours(1), Speaker.anybody());
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
        plugged.pipeline().remove("stuck");
        plugged.flush();
        plugged.releaseOutbound();
    }

    @Test
    void aSocketThatTakesNothingMoreIsSlowThoughNothingWaitsBehindIt() {
        ChatSession session = session(PING);
        getStuckWith(session);
        awaitClosed(session);
        assertThat(counters.byCode(CloseCode.SLOW).sum()).isEqualTo(1);
        channel.pipeline().remove("stuck");
        channel.flush();
    }

    /** A pause of the whole process, a virtual machine's for example. */
    @Test
    void aPauseOfTheServerIsNotHeldAgainstItsClients() {
        ChatSession session = session(PING);
        getStuckWith(session);
        pause();
        channel.runScheduledPendingTasks();
        assertThat(session.isOpen()).isTrue();
        channel.pipeline().remove("stuck");
        channel.flush();
        pause();
        channel.runScheduledPendingTasks();
        assertThat(session.isOpen()).isTrue();
        awaitClosed(session);
        assertThat(counters.byCode(CloseCode.SILENT).sum()).isEqualTo(1);
    }

    private static void pause() {
        long over = System.nanoTime() + PING.multipliedBy(6).toNanos();
        Awaitility.await().until(() -> System.nanoTime() > over);
    }

    @Test
    void aStepThatFailsEndsTheSessionRatherThanHangIt() {
        ChatSession session = session(Duration.ofHours(1));
        session.execute(() -> {
            throw new IllegalStateException("as a bug would");
        });
        awaitClosed(session);
        assertThat(counters.byCode(CloseCode.INTERNAL_ERROR).sum()).isEqualTo(1);
    }

    @Test
    void aSessionEndsWithItsTokenAndRatherAMomentEarly() {
        Duration ping = Duration.ofHours(1); // it is looked at ten times in between
        Instant end = Instant.parse("2026-11-20T10:00:00Z");
        AtomicReference<Instant> now = new AtomicReference<>(end.minus(Duration.ofMinutes(13)));
        RoomRights rights = new RoomRights(RoomPatterns.ALL, RoomPatterns.NONE, RoomPatterns.NONE);
        Speaker speaker = Speaker.of(
                new Identity("1", null, rights, Role.MEMBER, end, end), token -> new CompletableFuture<>(), at(now));
        channel.freezeTime();
        ChatSession session = session(ping, ping, speaker);
        assertThat(session.tokenExpiresAt()).isEqualTo(end.toEpochMilli());
        for (int minutes = 13; minutes > 1; minutes -= 6) {
            assertThat(session.isOpen()).isTrue();
            now.set(end.minus(Duration.ofMinutes(minutes - 6)));
            channel.advanceTimeBy(6, TimeUnit.MINUTES);
            channel.runScheduledPendingTasks();
        }
        channel.runPendingTasks();
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

    private void awaitClosed(ChatSession session) {
        Awaitility.await().until(() -> {
            channel.runPendingTasks();
            channel.runScheduledPendingTasks();
            return !session.isOpen();
        });
        channel.runPendingTasks();
    }
}

package chat.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.kit.admission.ClientAddresses;
import chat.kit.admission.Networks;
import chat.log.InMemoryRoomLog;
import chat.log.LogCounters;
import chat.log.LogSettings;
import chat.protocol.CloseCode;
import chat.protocol.FrameDecoder;
import chat.protocol.FrameRules;
import chat.server.admission.ConnectionLimit;
import chat.server.admission.TestRates;
import chat.server.identity.SessionIdentity;
import chat.server.intake.Intake;
import chat.server.intake.IntakeCounters;
import chat.server.intake.IntakeSettings;
import chat.server.intake.MessageIds;
import chat.server.room.NoHistory;
import chat.server.room.RoomCounters;
import chat.server.room.Rooms;
import chat.server.room.TestRoomSettings;
import chat.server.room.TestRooms;
import chat.testing.LogWatch;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.util.ReferenceCountUtil;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.util.unit.DataSize;
import org.springframework.web.reactive.socket.HandshakeInfo;
import org.springframework.web.reactive.socket.WebSocketMessage;
import org.springframework.web.reactive.socket.WebSocketSession;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A socket ends once, even if several parties end it at the same time. */
class SessionEndTest {
    private static final String JOIN = "{\"messageType\":\"JOIN\",\"userId\":\"1\",\"username\":\"anna\","
            + "\"timestamp\":\"2026-11-20T10:00:00Z\"}";

    private final InMemoryRoomLog log = new InMemoryRoomLog(1, 16 << 20, Clock.systemUTC());
    private final LogCounters logCounters = new LogCounters();
    private final RoomCounters roomCounters = new RoomCounters();
    private final IntakeCounters intakeCounters = new IntakeCounters();
    private final Rooms rooms = TestRooms.of(
            log,
            new TestRoomSettings().pingInterval(Duration.ofHours(1)).settings(),
            LogSettings.DEFAULT,
            Clock.systemUTC(),
            new NoHistory(),
            logCounters,
            roomCounters);
    private final Sessions sessions = new Sessions();
    private final ConnectionLimit limit = new ConnectionLimit(10, Duration.ofSeconds(5));
    private final SessionCounters counters = new SessionCounters();
    private final AtomicInteger completed = new AtomicInteger();
    /** On plain threads: waiting for each other, which sockets do not, counts as blocking on Netty's own. */
    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, Thread.ofPlatform().daemon().factory(), LocalIoHandler.newFactory());

    private final LocalAddress address = new LocalAddress(SessionEndTest.class);
    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private final ChatSocketHandler handler = handler((client, speaker, self) -> new Intake(
            rooms,
            new FrameDecoder(FrameRules.DEFAULT),
            new IntakeSettings(1, 1, 1),
            Clock.systemUTC(),
            System::nanoTime,
            new MessageIds(Clock.systemUTC()),
            intakeCounters,
            TestRates.unlimited(),
            client,
            speaker,
            self));

    private ChatSocketHandler handler(ChatSocketHandler.Intakes intakes) {
        return new ChatSocketHandler(
                sessions,
                limit,
                new EventLoopQueues(1 << 20, counters.handoverWaits),
                new SessionSettings(
                        DataSize.ofKilobytes(256),
                        DataSize.ofMegabytes(64),
                        DataSize.ofMegabytes(1),
                        Duration.ofHours(1),
                        Duration.ofHours(1),
                        Duration.ofHours(1),
                        Duration.ofHours(1),
                        DataSize.ofBytes(0),
                        DataSize.ofBytes(0)),
                counters,
                new ClientAddresses(Networks.of(List.of())),
                SessionIdentity.unverified(),
                intakes);
    }

    @BeforeEach
    void listen() {
        new io.netty.bootstrap.ServerBootstrap()
                .group(loops)
                .channel(LocalServerChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        GuardedUpgrade.GUARD,
                                        new FrameGuard(
                                                1024, new WireSettings(1000, 100), System::nanoTime, code -> {}));
                        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                            @Override
                            @SuppressWarnings("deprecation") // of the interface that declares it, not of this
                            public void exceptionCaught(ChannelHandlerContext context, Throwable writtenTooLate) {
                                // Reactor Netty's last handler handles it.
                            }
                        });
                        accepted.add(channel);
                    }
                })
                .bind(address)
                .syncUninterruptibly();
    }

    @AfterEach
    void close() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        rooms.close();
        log.close();
    }

    private Channel connect() {
        return new io.netty.bootstrap.Bootstrap()
                .group(loops)
                .channel(LocalChannel.class)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        ReferenceCountUtil.release(message);
                    }
                })
                .connect(address)
                .syncUninterruptibly()
                .channel();
    }

    /** As Reactor Netty would give it: one message, a JOIN, and then nothing until the connection ends. */
    private static WebSocketSession socket(Channel channel) {
        HandshakeInfo handshake =
                new HandshakeInfo(URI.create("ws://host/chat/room"), new HttpHeaders(), Mono.empty(), null);
        Flux<WebSocketMessage> received = Flux.concat(
                Flux.just(new WebSocketMessage(
                        WebSocketMessage.Type.TEXT,
                        DefaultDataBufferFactory.sharedInstance.wrap(JOIN.getBytes(StandardCharsets.UTF_8)))),
                Mono.<WebSocketMessage>create(ended -> channel.closeFuture().addListener(unused -> ended.success())));
        return (WebSocketSession) Proxy.newProxyInstance(
                WebSocketSession.class.getClassLoader(),
                new Class<?>[] {WebSocketSession.class},
                (self, method, args) -> switch (method.getName()) {
                    case "receive" -> received;
                    case "getHandshakeInfo" -> handshake;
                    case "getAttributes" -> Map.of(GuardedUpgrade.CHANNEL, channel);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    @Test
    void concurrentClosesCleanUpOnce() throws Exception {
        int rounds = 1000;
        CyclicBarrier together = new CyclicBarrier(4);
        try (LogWatch watch = LogWatch.begin();
                ExecutorService sides = Executors.newFixedThreadPool(4)) {
            for (int round = 0; round < rounds; round++) {
                Channel client = connect();
                Channel channel = accepted.take();
                channel.eventLoop()
                        .submit(() -> handler.handle(socket(channel))
                                .doFinally(unused -> completed.incrementAndGet())
                                .subscribe())
                        .sync();
                ChatSession session = sessions.all().iterator().next();
                // Some end while their JOIN is on its way, the others behind it.
                if (round % 2 == 0) soon(() -> roomCounters.memberships.sum() == 1);
                Future<?> byClient = sides.submit(() -> at(together, client::close));
                Future<?> byTimeout = sides.submit(() -> at(together, () -> session.close(CloseCode.SILENT)));
                Future<?> byStop = sides.submit(() -> at(together, () -> session.close(CloseCode.GOING_AWAY)));
                Future<?> byLoss = sides.submit(() -> at(together, () -> channel.close()));
                byClient.get();
                byTimeout.get();
                byStop.get();
                byLoss.get();
                int ended = round + 1;
                soon(() -> completed.get() == ended
                        && roomCounters.memberships.sum() == 0
                        && sessions.count() == 0
                        && limit.current() == 0);
            }
            // Each said JOIN and, for it, LEAVE: both once.
            Awaitility.await().until(() -> logCounters.accepted.sum() >= 2L * rounds);
            assertThat(rooms.drain(Duration.ofSeconds(10))).isTrue();
            watch.assertQuiet();
        }
        assertThat(intakeCounters.taken.sum()).isEqualTo(rounds);
        assertThat(logCounters.accepted.sum()).isEqualTo(2L * rounds);
        assertThat(completed).hasValue(rounds);
    }

    @Test
    void socketLostBeforeItsSessionTakesNoSlot() throws Exception {
        connect();
        Channel channel = accepted.take();
        channel.pipeline().remove(GuardedUpgrade.GUARD); // as all handlers are when the connection is gone
        channel.eventLoop()
                .submit(() -> assertThatThrownBy(() -> handler.handle(socket(channel)))
                        .isInstanceOf(NoSuchElementException.class))
                .sync();
        assertThat(limit.current()).isZero();
        assertThat(sessions.count()).isZero();
    }

    @Test
    void socketWithoutASessionTakesNoSlot() throws Exception {
        ChatSocketHandler failing = handler((client, speaker, self) -> {
            throw new IllegalStateException("as a bug would");
        });
        connect();
        Channel channel = accepted.take();
        channel.eventLoop()
                .submit(() -> assertThatThrownBy(() -> failing.handle(socket(channel)))
                        .isInstanceOf(IllegalStateException.class))
                .sync();
        assertThat(limit.current()).isZero();
        assertThat(sessions.count()).isZero();
    }

    private static void soon(Callable<Boolean> condition) {
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(condition);
    }

    private static void at(CyclicBarrier together, Runnable step) {
        try {
            together.await(10, TimeUnit.SECONDS);
        } catch (Exception broken) {
            throw new AssertionError(broken);
        }
        step.run();
    }
}

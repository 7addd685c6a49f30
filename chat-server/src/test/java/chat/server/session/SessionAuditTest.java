package chat.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import chat.log.LogCounters;
import chat.log.LogSettings;
import chat.log.OutgoingMessage;
import chat.protocol.ClientFrame.Since;
import chat.protocol.CloseCode;
import chat.protocol.Member;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import chat.server.admission.ConnectionLimit;
import chat.server.room.DirectSubscriber;
import chat.server.room.Membership;
import chat.server.room.NoHistory;
import chat.server.room.PendingAck;
import chat.server.room.RoomCounters;
import chat.server.room.Rooms;
import chat.server.room.TestRoomSettings;
import chat.server.room.TestRooms;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class SessionAuditTest {
    private final InMemoryRoomLog log = new InMemoryRoomLog(1, 1 << 20, Clock.systemUTC());
    private final AtomicLong nanos = new AtomicLong();
    private final Rooms rooms = TestRooms.of(
            log,
            new TestRoomSettings().pingInterval(Duration.ofHours(1)).settings(),
            LogSettings.DEFAULT,
            Clock.systemUTC(),
            nanos::get,
            new NoHistory(),
            new LogCounters(),
            new RoomCounters());
    private final ConnectionLimit limit = new ConnectionLimit(10, Duration.ofSeconds(5));
    private final OpenConnections connections = new OpenConnections();
    private final SessionAudit audit =
            new SessionAudit(new Sessions(), limit, rooms, connections, KernelConnections.ofThisSystem());

    @AfterEach
    void close() {
        audit.close();
        rooms.close();
        log.close();
    }

    @Test
    void slotWithoutASessionIsAPhantomAfterTwoChecks() {
        assertThat(limit.tryAcquire()).isTrue();
        audit.check();
        assertThat(audit.phantoms()).isZero();
        audit.check();
        assertThat(audit.phantoms()).isEqualTo(1);
        assertThat(audit.audits.sum()).isEqualTo(2);
        limit.release();
        audit.check();
        assertThat(audit.phantoms()).isZero();
    }

    @Test
    void transientDifferencesAreNoPhantoms() {
        for (int i = 0; i < 4; i++) {
            assertThat(limit.tryAcquire()).isTrue();
            audit.check();
            limit.release();
            audit.check();
            assertThat(audit.phantoms()).isZero();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void kernelOnlyConnectionIsAPhantomAfterTwoChecks() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            connections.bound(server.getLocalPort());
            try (Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                    Socket accepted = server.accept()) {
                audit.check();
                assertThat(audit.phantoms()).isZero();
                audit.check();
                assertThat(audit.phantoms()).isEqualTo(1);
                assertThat(audit.connectionsAtKernel()).isEqualTo(1);
                assertThat(client.getPort()).isEqualTo(accepted.getLocalPort());
            }
            audit.check();
            assertThat(audit.phantoms()).isZero();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void zombieUnknownToTheKernelIsAPhantomAfterTwoChecks() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            connections.bound(server.getLocalPort());
            Zombie zombie = new Zombie(new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711));
            connections.add(zombie);
            audit.check();
            assertThat(audit.phantoms()).isZero();
            audit.check();
            assertThat(audit.phantoms()).isEqualTo(1);
            zombie.close();
            assertThat(connections.count()).isZero();
            audit.check();
            assertThat(audit.phantoms()).isZero();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void manyShortConnectionsAreNoPhantoms() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            connections.bound(server.getLocalPort());
            for (int i = 0; i < 5; i++) {
                try (Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                        Socket accepted = server.accept()) {
                    audit.check();
                    assertThat(client.getPort()).isEqualTo(accepted.getLocalPort());
                }
                assertThat(audit.phantoms()).isZero();
            }
        }
    }

    /** A connection that this process still holds. */
    private static final class Zombie extends EmbeddedChannel {
        private final InetSocketAddress client;

        Zombie(InetSocketAddress client) {
            this.client = client;
        }

        @Override
        protected SocketAddress remoteAddress0() {
            return client;
        }
    }

    @Test
    void memberOfAnEndedSessionIsAPhantomUntilItsLeave() {
        Nobody nobody = new Nobody();
        Membership membership =
                new Membership(new RoomId("room"), new Member("1", "anna"), new Since.Now(), false, nobody, nobody);
        rooms.departing(membership);
        for (int period = 0; period < 6; period++) { // as long as JOIN and LEAVE may wait for a slow log
            nanos.addAndGet(Duration.ofSeconds(10).toNanos());
            audit.check();
            assertThat(audit.phantoms()).isZero();
        }
        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        audit.check();
        assertThat(audit.phantoms()).isEqualTo(1);
        byte[] json = {'{', '}'};
        rooms.leaveLater(
                new OutgoingMessage(membership.room(), UUID.randomUUID(), MessageType.LEAVE, "1", 1, new byte[0], json),
                new PendingAck(membership, MessageType.LEAVE, null));
        Awaitility.await().until(() -> {
            audit.check();
            return audit.phantoms() == 0;
        });
    }

    private static final class Nobody extends DirectSubscriber implements Membership.Refusals {
        @Override
        public void conflict(Membership membership, MessageType type, @Nullable UUID messageId) {}

        @Override
        public void write(ByteBuf frame) {
            frame.release();
        }

        @Override
        public void close(CloseCode code) {}

        @Override
        public boolean isOpen() {
            return false;
        }

        @Override
        public void joinRefused(Membership membership, @Nullable UUID messageId) {}

        @Override
        public void textRefused(Membership membership, @Nullable UUID messageId) {}

        @Override
        public void leaveRefused(Membership membership, @Nullable UUID messageId) {}
    }
}

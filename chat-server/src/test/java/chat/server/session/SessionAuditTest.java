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
import chat.server.limit.ConnectionLimit;
import chat.server.room.DirectSubscriber;
import chat.server.room.Membership;
import chat.server.room.NoHistory;
import chat.server.room.RoomCounters;
import chat.server.room.Rooms;
import chat.server.room.Sent;
import chat.server.room.TestRoomSettings;
import io.netty.buffer.ByteBuf;
import java.time.Clock;
import java.time.Duration;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SessionAuditTest {
    private final InMemoryRoomLog log = new InMemoryRoomLog(1, 1 << 20, Clock.systemUTC());
    private final Rooms rooms = new Rooms(
            log,
            new TestRoomSettings().pingInterval(Duration.ofHours(1)).settings(),
            LogSettings.DEFAULT,
            Clock.systemUTC(),
            new NoHistory(),
            new LogCounters(),
            new RoomCounters());
    private final ConnectionLimit limit = new ConnectionLimit(10, Duration.ofSeconds(5));
    private final SessionAudit audit = new SessionAudit(new Sessions(), limit, rooms);

    @AfterEach
    void close() {
        audit.close();
        rooms.close();
        log.close();
    }

    @Test
    void aPlaceWithoutASessionIsAPhantomWhenTwoChecksFindIt() {
        assertThat(limit.tryAcquire()).isTrue();
        audit.check();
        assertThat(audit.phantoms()).isZero();
        audit.check();
        assertThat(audit.phantoms()).isEqualTo(1);
        limit.release();
        audit.check();
        assertThat(audit.phantoms()).isZero();
    }

    @Test
    void differencesThatComeAndGoAreNone() {
        for (int i = 0; i < 4; i++) {
            assertThat(limit.tryAcquire()).isTrue();
            audit.check();
            limit.release();
            audit.check();
            assertThat(audit.phantoms()).isZero();
        }
    }

    @Test
    void aMemberWhoseSessionHasEndedIsAPhantomUntilItsRoomHasHeardOfIt() {
        Nobody nobody = new Nobody();
        Membership membership =
                new Membership(new RoomId("room"), new Member("1", "anna"), new Since.Now(), false, nobody, nobody);
        rooms.departing(membership);
        audit.check();
        assertThat(audit.phantoms()).isZero();
        audit.check();
        assertThat(audit.phantoms()).isEqualTo(1);
        byte[] json = {'{', '}'};
        rooms.leaveLater(
                new OutgoingMessage(membership.room(), UUID.randomUUID(), MessageType.LEAVE, "1", 1, new byte[0], json),
                new Sent(membership, MessageType.LEAVE, null));
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
        public void joinRefused(Membership membership) {}

        @Override
        public void textRefused(Membership membership, @Nullable UUID messageId) {}

        @Override
        public void leaveRefused(Membership membership, @Nullable UUID messageId) {}
    }
}

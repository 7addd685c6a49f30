package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.LogPartition.Offer;
import chat.log.OutgoingMessage;
import chat.protocol.ChatMessage;
import chat.protocol.ClientFrame.Since;
import chat.protocol.CloseCode;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A failed delivery closes the affected sessions and no others. */
class BrokenDeliveryTest {
    private static final RoomId ROOM = new RoomId("room");
    private static final RoomId OTHER = new RoomId("other");

    private final TestServers servers = new TestServers(1);
    private final RoomCounters counters = new RoomCounters();
    private final Rooms rooms =
            servers.start(new TestRoomSettings().recentMessages(100).settings(), new FakeHistory(), counters);

    @AfterEach
    void close() {
        servers.close();
    }

    private FakeMember member(RoomId room, int user) {
        return new FakeMember(rooms, servers.clock, room, user, new Since.Now()).joined();
    }

    @Test
    void unreadableEntryIsAGap() {
        FakeMember anna = member(ROOM, 1);
        anna.said("before");
        long before = anna.lastPosition();
        byte[] ofAnotherVersion = {99, 1, 2, 3};
        servers.log.append(0, ofAnotherVersion).toCompletableFuture().join();
        anna.said("after");

        assertThat(anna.frames("GAP")).hasSize(1);
        JsonNode gap = anna.frames("GAP").getFirst();
        assertThat(Long.parseLong(gap.get("from").asString())).isGreaterThanOrEqualTo(before);
        assertThat(Long.parseLong(gap.get("to").asString())).isLessThan(anna.lastPosition());
        assertThat(anna.heard()).containsExactly("JOIN 1", "before", "after");
    }

    @Test
    void memberWhoseWriteFailsIsClosedAndOthersReceiveTheFrame() {
        FakeMember anna = member(ROOM, 1);
        Breakable broken = new Breakable();
        broken.say(MessageType.JOIN, null);
        anna.awaitHeard("JOIN 2");
        anna.said("zero"); // and the one who joined has been told what belongs to that

        broken.breaks = "MESSAGES";
        anna.said("one");

        Awaitility.await().until(() -> broken.closed.get() == CloseCode.INTERNAL_ERROR);
        assertThat(anna.closed()).isNull();
        assertThat(anna.heard()).containsExactly("JOIN 1", "JOIN 2", "zero", "one");
    }

    @Test
    void failingRoomIsClosedAndOtherRoomsOfTheEntryAreServed() {
        FakeMember anna = member(ROOM, 1);
        FakeMember other = member(OTHER, 3);
        Breakable broken = new Breakable();
        broken.say(MessageType.JOIN, null);
        anna.awaitHeard("JOIN 2");

        broken.breaks = "LANE";
        rooms.whenRoom(
                ROOM,
                () -> { // into one entry
                    broken.say(MessageType.TEXT, "broken");
                    other.text("in the same entry");
                });

        other.awaitHeard("in the same entry");
        assertThat(broken.closed.get()).isEqualTo(CloseCode.INTERNAL_ERROR);
        assertThat(anna.closed()).isEqualTo(CloseCode.INTERNAL_ERROR);
        assertThat(other.closed()).isNull();
        FakeMember again = new FakeMember(rooms, servers.clock, ROOM, 4, new Since.Now()).joined();
        again.said("and on it goes");
        assertThat(again.heard()).containsExactly("JOIN 4", "and on it goes");
    }

    @Test
    void framesOfAFailingRoomAreReleased() {
        FakeMember anna = member(ROOM, 1);
        Breakable broken = new Breakable();
        broken.say(MessageType.JOIN, null);
        anna.awaitHeard("JOIN 2");
        servers.makeBusy(anna);
        long before = Frames.bytesInUse();
        long delivered = counters.delivered.sum();

        broken.breaks = "LANE";
        broken.say(MessageType.TEXT, "broken");
        Awaitility.await().until(() -> counters.delivered.sum() > delivered);
        new FakeMember(rooms, servers.clock, ROOM, 3, new Since.Now()).join();

        Awaitility.await().until(() -> anna.closed() == CloseCode.INTERNAL_ERROR);
        Awaitility.await().until(() -> Frames.bytesInUse() <= before);
    }

    @Test
    void leavingAFailingRoomUncountsTheMember() {
        Breakable broken = new Breakable();
        broken.say(MessageType.JOIN, null);
        FakeMember bert = member(ROOM, 3);

        broken.breaks = "MESSAGES";
        rooms.whenRoom(
                ROOM,
                () -> { // into one entry
                    broken.say(MessageType.LEAVE, null);
                    bert.leave();
                });

        Awaitility.await().until(() -> counters.memberships.sum() == 0);
        FakeMember again = member(ROOM, 4);
        assertThat(again.frames("WELCOME").getFirst().get("members").asInt()).isEqualTo(1);
    }

    @Test
    void catchUpInAFailingRoomDoesNotWaitForever() {
        FakeMember anna = member(ROOM, 1);
        UUID mine = UUID.randomUUID();
        anna.text("mine", mine);
        Breakable broken = new Breakable();
        broken.say(MessageType.JOIN, null);
        UUID known = UUID.randomUUID();
        broken.say(MessageType.TEXT, "known", known);
        anna.awaitHeard("known");
        FakeMember again = new FakeMember(rooms, servers.clock, ROOM, 1, new Since.Resume(0));
        again.keepsUp(false);
        again.joined();

        broken.breaks = "LANE";
        rooms.whenRoom(
                ROOM,
                () -> { // acknowledged in one step, in this order
                    broken.say(MessageType.TEXT, "known", known);
                    again.text("mine", mine);
                });

        again.await("being closed", () -> again.closed() == CloseCode.INTERNAL_ERROR);
    }

    @Test
    void failingCatchUpClosesTheSession() {
        member(ROOM, 1).said("one");
        Breakable broken = new Breakable(new Since.Resume(0));
        broken.breaks = "GAP";
        broken.say(MessageType.JOIN, null);
        Awaitility.await().until(() -> broken.closed.get() == CloseCode.INTERNAL_ERROR);
    }

    /** Fails when it is sent a frame of some type. */
    private final class Breakable extends DirectSubscriber implements Membership.Refusals {
        final AtomicReference<@Nullable CloseCode> closed = new AtomicReference<>();
        private final Membership membership;
        volatile String breaks = "nothing";

        Breakable() {
            this(new Since.Now());
        }

        Breakable(Since since) {
            membership = new Membership(ROOM, new Member("2", "broken"), since, false, this, this);
        }

        void say(MessageType type, @Nullable String text) {
            say(type, text, UUID.randomUUID());
        }

        void say(MessageType type, @Nullable String text, UUID id) {
            byte[] json = MessageJson.encode(new ChatMessage(id, membership.member(), type, text, 1));
            assertThat(rooms.offer(
                            new OutgoingMessage(ROOM, id, type, "2", 1, new byte[0], json),
                            new PendingAck(membership, type, id)))
                    .isEqualTo(Offer.TAKEN);
        }

        @Override
        public EventLoopQueue queue() {
            if (breaks.equals("LANE")) throw new IllegalStateException("broken");
            return super.queue();
        }

        @Override
        public void write(ByteBuf frame) {
            String text = frame.toString(StandardCharsets.UTF_8);
            frame.release();
            if (text.contains("\"type\":\"" + breaks)) throw new IllegalStateException("broken");
        }

        @Override
        public void close(CloseCode code) {
            closed.compareAndSet(null, code);
        }

        @Override
        public boolean isOpen() {
            return closed.get() == null;
        }

        @Override
        public void joinRefused(Membership refused, @Nullable UUID messageId) {}

        @Override
        public void textRefused(Membership refused, @Nullable UUID messageId) {}

        @Override
        public void conflict(Membership refused, MessageType type, @Nullable UUID messageId) {}

        @Override
        public void leaveRefused(Membership refused, @Nullable UUID messageId) {}
    }
}

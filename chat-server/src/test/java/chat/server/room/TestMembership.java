package chat.server.room;

import chat.protocol.ClientFrame.Since;
import chat.protocol.Member;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A session in a room, where nothing but its frames matters. */
public final class TestMembership {
    private TestMembership() {}

    public static Membership of(Subscriber subscriber) {
        return new Membership(
                new RoomId("room7"), new Member("1", "user1"), new Since.Now(), false, subscriber, new NoRefusals());
    }

    private static final class NoRefusals implements Membership.Refusals {
        @Override
        public void joinRefused(Membership membership, @Nullable UUID messageId) {}

        @Override
        public void textRefused(Membership membership, @Nullable UUID messageId) {}

        @Override
        public void conflict(Membership membership, MessageType type, @Nullable UUID messageId) {}

        @Override
        public void leaveRefused(Membership membership, @Nullable UUID messageId) {}
    }
}

package chat.server.intake;

import chat.log.LogPartition.Offer;
import chat.log.OutgoingMessage;
import chat.protocol.ChatMessage;
import chat.protocol.ClientFrame;
import chat.protocol.FrameError;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import chat.server.room.Membership;
import chat.server.room.PendingAck;
import chat.server.room.Rooms;
import java.time.Clock;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Stamps the messages of one session with an id and the server's time, encodes them and offers them to the log. */
final class MessagePublisher {
    private final Rooms rooms;
    private final Clock clock;
    private final Supplier<UUID> ids;
    private final byte[] clientAddress;
    private final int retryAfterMs;
    private final Intake.Session session;

    /**
     * @param ids for messages without an id of the client
     * @param retryAfterMs sent to the client when the log is unavailable
     */
    MessagePublisher(
            Rooms rooms,
            Clock clock,
            Supplier<UUID> ids,
            byte[] clientAddress,
            int retryAfterMs,
            Intake.Session session) {
        this.rooms = rooms;
        this.clock = clock;
        this.ids = ids;
        this.clientAddress = clientAddress;
        this.retryAfterMs = retryAfterMs;
        this.session = session;
    }

    Offer offer(ClientFrame.Posted frame, Membership by) {
        UUID id = frame.messageId();
        return switch (frame) {
            // The id in the log is always the server's; replies name the client's.
            case ClientFrame.Join join ->
                rooms.offer(message(by, MessageType.JOIN, null, null), new PendingAck(by, MessageType.JOIN, id));
            case ClientFrame.Text text -> offer(by, MessageType.TEXT, text.message(), id);
            case ClientFrame.Leave leave -> offer(by, MessageType.LEAVE, null, id);
        };
    }

    private Offer offer(Membership by, MessageType type, @Nullable String text, @Nullable UUID clientId) {
        return rooms.offer(message(by, type, text, clientId), new PendingAck(by, type, clientId));
    }

    private OutgoingMessage message(Membership by, MessageType type, @Nullable String text, @Nullable UUID clientId) {
        UUID id = clientId != null ? clientId : ids.get();
        Member member = by.member();
        long now = clock.millis();
        byte[] json = MessageJson.encode(new ChatMessage(id, member, type, text, now));
        return new OutgoingMessage(by.room(), id, type, member.userId(), now, clientAddress, json);
    }

    /** Publishes a LEAVE that the client did not send; waits while the log is full or unavailable. */
    void leave(Membership membership) {
        OutgoingMessage leave = message(membership, MessageType.LEAVE, null, null);
        PendingAck ack = new PendingAck(membership, MessageType.LEAVE, null);
        switch (rooms.offer(leave, ack)) {
            case TAKEN -> {}
            case FULL -> rooms.whenRoom(membership.room(), () -> session.execute(() -> leave(membership)));
            case UNAVAILABLE -> rooms.leaveLater(leave, ack);
        }
    }

    /** Publishes a LEAVE again when the log is available, after it failed. */
    void retryLeave(Membership membership, @Nullable UUID messageId) {
        rooms.leaveLater(
                message(membership, MessageType.LEAVE, null, messageId),
                new PendingAck(membership, MessageType.LEAVE, messageId));
    }

    /** The error for a message that the log did not accept. */
    FrameError unavailable(RoomId room, @Nullable UUID messageId) {
        return FrameError.unavailable(room, messageId, rooms.retryAfterMillis(retryAfterMs));
    }
}

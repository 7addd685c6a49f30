package chat.server.room;

import chat.log.LineFields;
import chat.log.OutgoingMessage;
import chat.protocol.CloseCode;
import chat.protocol.MessageType;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits sessions of this server to the rooms of one partition and removes them: when their JOINs and LEAVEs are read
 * back, when these are rejected, and when their outcome is unknown. Confined to the partition's thread.
 */
final class Memberships {
    private static final Logger logger = LoggerFactory.getLogger(Memberships.class);
    /** Removing a session is logged if it takes longer. */
    private static final long SLOW_MILLIS = 100;

    private final RoomTable rooms;
    private final PartitionPresence presence;
    private final StoredNotifications storedNotifications;
    private final CatchUp catchUp;
    private final LongSupplier nanoTime;

    /** @param nanoTime as {@link System#nanoTime} */
    Memberships(
            RoomTable rooms,
            PartitionPresence presence,
            StoredNotifications storedNotifications,
            CatchUp catchUp,
            LongSupplier nanoTime) {
        this.rooms = rooms;
        this.presence = presence;
        this.storedNotifications = storedNotifications;
        this.catchUp = catchUp;
        this.nanoTime = nanoTime;
    }

    /**
     * Applies the JOINs and LEAVEs of a segment, and delivers its messages. A leaving member receives messages up to
     * its LEAVE, a joining member those after its JOIN, each in frames of its own. All others receive everything.
     *
     * @param messages of the segment that live members receive
     */
    void apply(Room room, List<RecentMessage> messages, SegmentOutcome outcome) {
        room.flush();
        outcome.left.forEach((membership, at) -> {
            if (!outcome.joined.containsKey(membership)) leave(room, membership, at, messages, outcome);
        });
        room.queue(messages, Map.of());
        room.flush();
        outcome.joined.forEach((membership, at) ->
                admit(room, membership, at, outcome.left.getOrDefault(membership, Long.MAX_VALUE), messages));
        outcome.acks.forEach(room::acknowledge);
    }

    private void leave(
            Room room, Membership membership, long at, List<RecentMessage> messages, SegmentOutcome outcome) {
        presence.left(membership);
        membership.leftAt(at);
        if (membership.isLive()) room.sendTo(membership, between(messages, 0, at));
        remove(room, membership);
        // A member that is catching up continues until it has the messages before its LEAVE.
        if (membership.catchesUp()) room.keepCatchingUp(membership);
        else membership.left();
        membership.end();
        List<Membership.Ack> acks = outcome.acks.remove(membership);
        if (acks != null) room.acknowledge(membership, acks);
    }

    private static List<RecentMessage> between(List<RecentMessage> messages, long from, long to) {
        return messages.stream()
                .filter(message -> message.position() >= from && message.position() <= to)
                .toList();
    }

    /** @param left the position of its LEAVE in the same segment; {@link Long#MAX_VALUE}: none */
    private void admit(Room room, Membership membership, long at, long left, List<RecentMessage> messages) {
        membership.decided(true);
        presence.joined(membership);
        if (left != Long.MAX_VALUE) presence.left(membership);
        if (!membership.isJoining()) return; // its session has ended
        room.endEarlierCatchUp(membership.subscriber);
        rooms.admit(room, membership);
        debug("session {} joined room {}", membership);
        storedNotifications.admitted(room, membership);
        if (Room.startsNow(membership)) room.welcome(membership, at - 1, presence.membersAt(room.id(), at));
        if (left != Long.MAX_VALUE) {
            membership.leftAt(left);
            remove(room, membership);
            membership.end();
        }
        if (Room.startsNow(membership)) {
            room.sendTo(membership, between(messages, at, left));
            room.finish(membership);
        } else {
            if (left != Long.MAX_VALUE) room.keepCatchingUp(membership);
            catchUp.begin(room, membership, at);
        }
    }

    private void remove(Room room, Membership membership) {
        long begun = nanoTime.getAsLong();
        boolean removed = rooms.remove(room, membership);
        storedNotifications.left(room, membership);
        if (removed) debug("session {} left room {}", membership);
        long millis = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - begun);
        // The work is constant, so this is a starved thread or a fault.
        if (millis > SLOW_MILLIS)
            logger.atWarn()
                    .addKeyValue(LineFields.SESSION, membership.subscriber.id())
                    .addKeyValue(LineFields.ROOM, membership.room)
                    .log("removing a session from room {} took {} ms", membership.room, millis);
    }

    private static void debug(String message, Membership membership) {
        if (!logger.isDebugEnabled()) return;
        String session = membership.subscriber.id();
        logger.atDebug()
                .addKeyValue(LineFields.SESSION, session)
                .addKeyValue(LineFields.ROOM, membership.room)
                .log(message, session, membership.room);
    }

    /** Handles messages that are not in the log and will not appear there. */
    void rejected(List<PendingAck> messages) {
        for (PendingAck sent : messages) {
            switch (sent.type()) {
                case JOIN -> joinRejected(sent);
                case TEXT -> sent.by().refusals.textRefused(sent.by(), sent.clientMessageId());
                case LEAVE -> {}
            }
        }
        // After the JOINs: if neither a LEAVE nor the JOIN after it was published, the member stays as it was.
        for (PendingAck sent : messages)
            if (sent.type() == MessageType.LEAVE) sent.by().refusals.leaveRefused(sent.by(), sent.clientMessageId());
    }

    private static void joinRejected(PendingAck join) {
        Membership membership = join.by();
        membership.left();
        membership.refusals.joinRefused(membership, join.clientMessageId());
        membership.decided(false);
        membership.end();
    }

    /** Rejects a message whose sender has used its id for another message in this room; nothing was published. */
    void rejectConflict(PendingAck sent) {
        Membership by = sent.by();
        by.refusals.conflict(by, sent.type(), sent.clientMessageId());
        if (sent.type() != MessageType.JOIN) return;
        by.left();
        by.decided(false); // after the rejection, which the waiting code expects
        by.end();
    }

    /** Closes a session that cannot learn whether its message was accepted. */
    void outcomeUnknown(PendingAck sent, CloseCode code) {
        sent.by().subscriber.close(code);
        sent.by().decided(true); // the JOIN may be in the log: then its LEAVE must follow
        // No other LEAVE follows, so the member is removed here.
        if (sent.type() == MessageType.LEAVE) {
            removeEnded(sent.by());
            presence.left(sent.by());
        }
    }

    /**
     * Removes the member of an ended session whose LEAVE the log does not accept now, and publishes the LEAVE later.
     */
    void leaveLater(OutgoingMessage message, PendingAck sent) {
        removeEnded(sent.by());
        presence.leaveLater(message, sent);
    }

    private void removeEnded(Membership membership) {
        membership.left();
        Room room = rooms.find(membership.room);
        if (room != null) remove(room, membership);
        membership.end();
    }
}

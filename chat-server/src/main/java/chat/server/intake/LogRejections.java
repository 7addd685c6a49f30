package chat.server.intake;

import chat.protocol.FrameError;
import chat.protocol.MessageType;
import chat.server.identity.SessionIdentity;
import chat.server.room.Membership;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Handles messages that were handed to the log but did not get into it: restores the state before them and replies to
 * the client. Called on partition threads; each method continues on the session's event loop.
 */
final class LogRejections implements Membership.Refusals {
    private final JoinedRooms joined;
    private final SessionIdentity identity;
    private final MessagePublisher publisher;
    private final ErrorReplies replies;
    private final Departures departures;
    private final Intake.Session session;

    LogRejections(
            JoinedRooms joined,
            SessionIdentity identity,
            MessagePublisher publisher,
            ErrorReplies replies,
            Departures departures,
            Intake.Session session) {
        this.joined = joined;
        this.identity = identity;
        this.publisher = publisher;
        this.replies = replies;
        this.departures = departures;
        this.session = session;
    }

    @Override
    public void joinRefused(Membership membership, @Nullable UUID messageId) {
        session.execute(() -> {
            if (joined.remove(membership)) joined.joinFailed(membership.room());
            replyUnavailable(membership, messageId);
        });
    }

    @Override
    public void textRefused(Membership membership, @Nullable UUID messageId) {
        session.execute(() -> replyUnavailable(membership, messageId));
    }

    @Override
    public void conflict(Membership membership, MessageType type, @Nullable UUID messageId) {
        session.execute(() -> {
            if (type == MessageType.JOIN && joined.remove(membership)) joined.inRoomNow();
            if (type == MessageType.LEAVE) restoreOrLeave(membership, null);
            if (!membership.isForbidden()) replies.reject(FrameError.conflict(membership.room(), messageId));
        });
    }

    @Override
    public void leaveRefused(Membership membership, @Nullable UUID messageId) {
        session.execute(() -> {
            restoreOrLeave(membership, messageId);
            // If the token forbids the room, the client has received FORBIDDEN.
            if (mayStay(membership)) replyUnavailable(membership, messageId);
        });
    }

    /** Restores the membership; publishes the LEAVE again if the session has joined again or may not stay. */
    private void restoreOrLeave(Membership membership, @Nullable UUID messageId) {
        boolean stays = mayStay(membership) && joined.restore(membership);
        if (!stays) publisher.retryLeave(membership, messageId);
    }

    private boolean mayStay(Membership membership) {
        return !departures.hasEnded() && !membership.isForbidden() && identity.mayStay(membership.room());
    }

    private void replyUnavailable(Membership membership, @Nullable UUID messageId) {
        if (!membership.isForbidden()) replies.reply(publisher.unavailable(membership.room(), messageId));
    }
}

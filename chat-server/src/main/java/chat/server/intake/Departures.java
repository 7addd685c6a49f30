package chat.server.intake;

import chat.protocol.FrameError;
import chat.server.identity.SessionIdentity;
import chat.server.room.Membership;
import chat.server.room.Rooms;

/**
 * Leaves rooms for a session: all of them when the session ends, and those that a new token does not allow. Each LEAVE
 * follows the messages that the session sent before. Confined to the session's event loop.
 */
final class Departures {
    private final Rooms rooms;
    private final JoinedRooms joined;
    private final SessionIdentity identity;
    private final MessagePublisher publisher;
    private final ErrorReplies replies;
    private final Intake.Session session;
    private boolean ended;

    Departures(
            Rooms rooms,
            JoinedRooms joined,
            SessionIdentity identity,
            MessagePublisher publisher,
            ErrorReplies replies,
            Intake.Session session) {
        this.rooms = rooms;
        this.joined = joined;
        this.identity = identity;
        this.publisher = publisher;
        this.replies = replies;
        this.session = session;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Leaves all rooms; a room whose JOIN is undecided is left after the decision. */
    void end() {
        ended = true;
        for (Membership membership : joined.all()) {
            rooms.departing(membership);
            // The membership stays until then; if two callers wait for it, one publishes the LEAVE.
            if (awaitDecision(membership, () -> {})) continue;
            joined.remove(membership);
            leaveIfJoined(membership);
        }
    }

    /**
     * Waits for the decision about a JOIN. If the session has ended by then, the session leaves the room.
     *
     * @param resume called after the decision if the session has not ended
     * @return false if the JOIN is decided; then nothing will be called
     */
    boolean awaitDecision(Membership membership, Runnable resume) {
        return membership.whenDecided(() -> session.execute(() -> {
            if (!ended) resume.run();
            else if (joined.remove(membership)) leaveIfJoined(membership);
        }));
    }

    /** Leaves the rooms that the previous token allowed and the current one does not. */
    void leaveForbiddenRooms() {
        for (Membership membership : joined.all()) {
            if (identity.mayStay(membership.room())) continue;
            membership.forbid();
            joined.left(membership.room());
            rooms.departing(membership);
            boolean waits = membership.whenDecided(() -> session.execute(() -> leaveIfJoined(membership)));
            if (!waits) leaveIfJoined(membership);
            replies.reply(
                    FrameError.forbidden(membership.room(), "the new token does not allow room " + membership.room()));
        }
    }

    private void leaveIfJoined(Membership membership) {
        if (!membership.isRefused()) publisher.leave(membership);
    }
}

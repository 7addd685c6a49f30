package chat.server.intake;

import chat.protocol.ClientFrame;
import chat.protocol.FrameError;
import chat.server.room.Membership;
import chat.server.room.Rooms;

/** Requests pages of the members of rooms, one at a time per session. Confined to the session's event loop. */
final class RosterRequests {
    private final Rooms rooms;
    private final JoinedRooms joined;
    private final ErrorReplies replies;
    private final Departures departures;
    private final IntakeCounters counters;
    private final Intake.Session session;
    private final Runnable resume;

    /** @param resume called after each response, unless the session has ended */
    RosterRequests(
            Rooms rooms,
            JoinedRooms joined,
            ErrorReplies replies,
            Departures departures,
            IntakeCounters counters,
            Intake.Session session,
            Runnable resume) {
        this.rooms = rooms;
        this.joined = joined;
        this.replies = replies;
        this.departures = departures;
        this.counters = counters;
        this.session = session;
        this.resume = resume;
    }

    /**
     * Requests a page. Later frames must wait for it.
     *
     * @return false if the request is rejected at once
     */
    boolean start(ClientFrame.Members request) {
        Membership membership = joined.of(request.room());
        FrameError error = FrameChecks.checkMember(request, membership);
        if (error != null || membership == null) {
            if (error != null) replies.reject(error);
            return false;
        }
        rooms.roster(
                membership, request.after(), request.limit(), sent -> session.execute(() -> finish(request, sent)));
        return true;
    }

    private void finish(ClientFrame.Members request, boolean sent) {
        if (departures.hasEnded()) return;
        if (sent) {
            counters.answered.increment();
            replies.accepted();
        } else {
            replies.reply(FrameChecks.notJoined(request)); // no fault: it was a member when it sent the request
        }
        resume.run();
    }
}

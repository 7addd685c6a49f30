package chat.server.intake;

import chat.protocol.ClientFrame;
import chat.protocol.Decoded;
import chat.protocol.FrameError;
import chat.server.admission.Rates;
import chat.server.admission.SessionRates;
import chat.server.room.Membership;
import chat.server.room.Rooms;
import org.jspecify.annotations.Nullable;

/**
 * Applies the rate limits to the frames of one session: a frame is admitted, waits for its token, or is rejected.
 * Confined to the session's event loop.
 */
final class RateGate implements SessionRates.Owner<ClientFrame.InRoom> {
    private final Rooms rooms;
    private final JoinedRooms joined;
    private final FrameChecks checks;
    private final ErrorReplies replies;
    private final Intake.Session session;
    private final Owner owner;
    /** Null if no rate limit is set. */
    private final @Nullable SessionRates<ClientFrame.InRoom> rates;
    /** A JOIN or LEAVE waits for its token; later frames depend on it. */
    private boolean shut;

    /** Receives the frames. */
    interface Owner {
        /** The frame has waited and is now admitted. */
        void admitted(ClientFrame.InRoom frame);

        /** The gate may have opened. */
        void proceed();

        /** The session sends too fast. */
        void tooFast();
    }

    RateGate(
            Rates rates,
            Rooms rooms,
            JoinedRooms joined,
            FrameChecks checks,
            ErrorReplies replies,
            Intake.Session session,
            Owner owner) {
        this.rooms = rooms;
        this.joined = joined;
        this.checks = checks;
        this.replies = replies;
        this.session = session;
        this.owner = owner;
        this.rates = rates.forSession(this);
    }

    /** Whether any rate limit is set; if not, {@link #admit} admits all frames. */
    boolean isLimiting() {
        return rates != null;
    }

    /** Whether later frames must wait. */
    boolean isShut() {
        return shut;
    }

    /** Returns whether the frame may proceed now; if not, it waits here or was rejected. */
    boolean admit(Decoded next) {
        SessionRates<ClientFrame.InRoom> limits = rates;
        if (limits == null || !(next instanceof Decoded.Valid(ClientFrame frame))) return true;
        SessionRates.Decision decision = switch (frame) {
            case ClientFrame.Join join ->
                limits.admit(
                        join,
                        checks.check(join, joined.of(join.room())) == null
                                ? join.member().userId()
                                : null,
                        rooms.knows(join.room()) ? SessionRates.Kind.JOIN : SessionRates.Kind.JOIN_OF_NEW_ROOM);
            case ClientFrame.Text text -> limits.admit(text, userOf(text), SessionRates.Kind.MESSAGE);
            case ClientFrame.Members request -> limits.admit(request, userOf(request), SessionRates.Kind.MESSAGE);
            // No token: its JOIN took one, and a member can always leave.
            case ClientFrame.Leave leave -> limits.keepInOrder(leave);
            // Limited to one per second elsewhere; a delay could let the current token expire.
            case ClientFrame.Token unused -> SessionRates.Decision.NOW;
        };
        if (decision == SessionRates.Decision.HELD) shut = changesMembership(frame);
        return decision == SessionRates.Decision.NOW;
    }

    private static boolean changesMembership(ClientFrame frame) {
        return frame instanceof ClientFrame.Join || frame instanceof ClientFrame.Leave;
    }

    /** Takes the user from the membership, not from the frame: a client must not use the tokens of another user. */
    private @Nullable String userOf(ClientFrame.InRoom frame) {
        Membership membership = joined.of(frame.room());
        return membership == null ? null : membership.member().userId();
    }

    /** Drops the frames that wait. */
    void close() {
        if (rates != null) rates.close();
    }

    @Override
    public void passed(ClientFrame.InRoom frame) {
        if (changesMembership(frame)) shut = false;
        owner.admitted(frame);
    }

    @Override
    public void rejected(ClientFrame.InRoom frame, String why, long nanos) {
        if (frame instanceof ClientFrame.Join) joined.joinFailed(frame.room());
        int millis = (int) Math.min(Integer.MAX_VALUE, Math.ceilDiv(nanos, 1_000_000L));
        replies.reply(FrameError.rateLimited(frame, why, millis));
        if (!shut || !changesMembership(frame)) return;
        shut = false;
        session.execute(owner::proceed);
    }

    @Override
    public void tooFast() {
        owner.tooFast();
    }

    @Override
    public void execute(Runnable step) {
        session.execute(step);
    }

    @Override
    public void executeAfter(long nanos, Runnable step) {
        session.executeAfter(nanos, step);
    }
}

package chat.server.intake;

import chat.protocol.ClientFrame;
import chat.protocol.ErrorCode;
import chat.protocol.FrameError;
import chat.server.identity.SessionIdentity;
import chat.server.room.Membership;
import org.jspecify.annotations.Nullable;

/** Checks frames against the rooms and the identity of their session. Each check returns the error, or null. */
final class FrameChecks {
    private final JoinedRooms joined;
    private final SessionIdentity identity;
    private final int maxRooms;

    FrameChecks(JoinedRooms joined, SessionIdentity identity, int maxRooms) {
        this.joined = joined;
        this.identity = identity;
        this.maxRooms = maxRooms;
    }

    /** @param membership of the frame's room, if the session is in it */
    @Nullable
    FrameError check(ClientFrame.Posted frame, @Nullable Membership membership) {
        return switch (frame) {
            case ClientFrame.Join join -> {
                if (membership != null)
                    yield FrameError.of(ErrorCode.ALREADY_JOINED, join, "this session has joined room " + join.room());
                if (joined.isFull())
                    yield FrameError.of(
                            ErrorCode.TOO_MANY_ROOMS,
                            join,
                            "a session may be in " + maxRooms + " rooms: leave one first");
                yield identity.checkJoin(join);
            }
            case ClientFrame.Text text -> {
                FrameError error = checkMember(text, membership);
                yield error != null ? error : identity.checkText(text);
            }
            case ClientFrame.Leave leave -> checkMember(leave, membership);
        };
    }

    static @Nullable FrameError checkMember(ClientFrame.InRoom frame, @Nullable Membership membership) {
        if (membership == null) return notJoined(frame);
        if (!membership.member().isNamedBy(frame.member()))
            return FrameError.of(
                    ErrorCode.IDENTITY_MISMATCH,
                    frame,
                    "userId, username and displayName must be those of the JOIN of this room");
        return null;
    }

    static FrameError notJoined(ClientFrame.InRoom frame) {
        return FrameError.of(ErrorCode.NOT_JOINED, frame, "JOIN room " + frame.room() + " first");
    }
}

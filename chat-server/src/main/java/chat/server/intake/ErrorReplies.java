package chat.server.intake;

import chat.protocol.ErrorCode;
import chat.protocol.FrameError;
import chat.protocol.RoomId;

/**
 * Replies to frames with errors, and counts those that are the client's fault; each accepted frame cancels one fault.
 * Confined to the session's event loop.
 */
final class ErrorReplies {
    private final Intake.Session session;
    private final JoinedRooms joined;
    private final IntakeCounters counters;
    private final int maxFaults;
    private final Runnable tooManyFaults;
    private int faults;

    /** @param tooManyFaults called when the client has made this many faults */
    ErrorReplies(
            Intake.Session session,
            JoinedRooms joined,
            IntakeCounters counters,
            int maxFaults,
            Runnable tooManyFaults) {
        this.session = session;
        this.joined = joined;
        this.counters = counters;
        this.maxFaults = maxFaults;
        this.tooManyFaults = tooManyFaults;
    }

    /** Replies with an error that is not the client's fault. */
    void reply(FrameError error) {
        counters.rejected(error.code());
        session.reply(error);
    }

    /** Replies with an error and counts a fault, unless the frame followed a JOIN that failed. */
    void reject(FrameError error) {
        reply(error);
        RoomId room = error.room();
        if (error.code() == ErrorCode.NOT_JOINED && room != null && joined.mayRetryJoin(room)) return;
        if (++faults >= maxFaults) tooManyFaults.run();
    }

    /** Cancels one fault: a frame was accepted. */
    void accepted() {
        if (faults > 0) faults--;
    }
}

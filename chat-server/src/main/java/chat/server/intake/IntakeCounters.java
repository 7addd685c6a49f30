package chat.server.intake;

import chat.protocol.ErrorCode;
import chat.server.count.CountersBy;
import java.util.concurrent.atomic.LongAdder;

/** What this server took and refused since its start; any thread may read. */
public final class IntakeCounters {
    /** Messages handed to the log, or known there. */
    public final LongAdder taken = new LongAdder();
    /** Questions for the members of a room that were answered. */
    public final LongAdder answered = new LongAdder();
    /** How often a session stopped reading because the log had no room. */
    public final LongAdder paused = new LongAdder();

    /** Bytes of frames of which something waits, for the log above all, as they came: as many as there are now. */
    public final LongAdder waitingBytes = new LongAdder();

    private final CountersBy<ErrorCode> refused = new CountersBy<>(ErrorCode.class);

    void refused(ErrorCode code) {
        byCode(code).increment();
    }

    /** Frames refused with this code. */
    public LongAdder byCode(ErrorCode code) {
        return refused.of(code);
    }
}

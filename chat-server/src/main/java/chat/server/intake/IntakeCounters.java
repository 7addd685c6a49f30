package chat.server.intake;

import chat.protocol.ErrorCode;
import chat.server.count.CountersBy;
import java.util.concurrent.atomic.LongAdder;

/** Counts the frames that this server accepted and rejected since its start. Any thread may read. */
public final class IntakeCounters {
    /** Messages handed to the log, including repeated ones. */
    public final LongAdder taken = new LongAdder();
    /** Requests for the members of a room that were answered. */
    public final LongAdder answered = new LongAdder();
    /** How often a session stopped reading because the log was full. */
    public final LongAdder paused = new LongAdder();

    /** Current number of bytes of received frames of which a part waits, mostly for the log. */
    public final LongAdder waitingBytes = new LongAdder();

    private final CountersBy<ErrorCode> rejected = new CountersBy<>(ErrorCode.class);

    void rejected(ErrorCode code) {
        byCode(code).increment();
    }

    /** Frames rejected with this code. */
    public LongAdder byCode(ErrorCode code) {
        return rejected.of(code);
    }
}

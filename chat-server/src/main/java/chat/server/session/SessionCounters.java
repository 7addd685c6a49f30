package chat.server.session;

import chat.protocol.CloseCode;
import chat.server.count.CountersBy;
import chat.server.room.SlowCause;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts the sockets and frames of this server since its start. Any thread may read. */
public final class SessionCounters {
    public final LongAdder framesIn = new LongAdder();
    public final LongAdder framesOut = new LongAdder();
    /** Sockets that became sessions. Rejected sockets count neither here nor in {@link #ended}. */
    public final LongAdder opened = new LongAdder();
    /** Sessions that have ended, for any reason. */
    public final LongAdder ended = new LongAdder();
    /** Sockets closed at once because the server is full or stopping. */
    public final LongAdder turnedAway = new LongAdder();
    /** How often a partition waited for an event loop whose queue was full. */
    public final LongAdder handoverWaits = new LongAdder();

    /**
     * Sockets closed because a frame violated RFC 6455 or the limits of this server, by close code. These are the codes
     * that {@link FrameGuard} and Netty's decoder send.
     */
    public final Map<Integer, LongAdder> malformed = Map.of(
            1002, new LongAdder(),
            1003, new LongAdder(),
            1007, new LongAdder(),
            1008, new LongAdder(),
            1009, new LongAdder());

    private final CountersBy<CloseCode> closed = new CountersBy<>(CloseCode.class);
    private final CountersBy<SlowCause> slow = new CountersBy<>(SlowCause.class);

    void malformed(int closeCode) {
        LongAdder counter = malformed.get(closeCode);
        if (counter == null) throw new IllegalStateException("no counter for " + closeCode);
        counter.increment();
    }

    /** @param slow the limit exceeded, if the code is {@link CloseCode#SLOW}; else ignored */
    void closed(CloseCode code, @Nullable SlowCause slow) {
        byCode(code).increment();
        if (code == CloseCode.SLOW && slow != null) byCause(slow).increment();
    }

    /** Sockets that this server closed because they were too slow, by the limit they exceeded. */
    public LongAdder byCause(SlowCause cause) {
        return slow.of(cause);
    }

    /** Sockets that this server closed with this code. */
    public LongAdder byCode(CloseCode code) {
        return closed.of(code);
    }
}

package chat.server.session;

import chat.protocol.CloseCode;
import chat.server.count.CountersBy;
import chat.server.room.SlowCause;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What happened to the sockets of this server since its start; any thread may read. */
public final class SessionCounters {
    public final LongAdder framesIn = new LongAdder();
    public final LongAdder framesOut = new LongAdder();
    /** Sockets that became sessions: refused ones are in neither of these two. */
    public final LongAdder opened = new LongAdder();
    /** Sessions that have ended, whoever ended them. */
    public final LongAdder ended = new LongAdder();
    /** Sockets closed at once because the server is full or stopping. */
    public final LongAdder turnedAway = new LongAdder();
    /** Times that a partition waited for an event loop, as too many frames lay between the two. */
    public final LongAdder handoverWaits = new LongAdder();

    /**
     * Sockets closed because what they sent breaks RFC 6455 or its limits here, by the close code they were told. The
     * codes are those that {@link FrameGuard} and Netty's decoder use.
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

    /** @param slow what {@link CloseCode#SLOW} is for; of no meaning with any other code */
    void closed(CloseCode code, @Nullable SlowCause slow) {
        byCode(code).increment();
        if (code == CloseCode.SLOW && slow != null) byCause(slow).increment();
    }

    /** Sockets that this server closed as too slow, by the bound that they had reached. */
    public LongAdder byCause(SlowCause cause) {
        return slow.of(cause);
    }

    /** Sockets that this server closed with this code. */
    public LongAdder byCode(CloseCode code) {
        return closed.of(code);
    }
}

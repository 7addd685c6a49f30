package chat.server.session;

import chat.protocol.CloseCode;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What happened to the sockets of this server since its start; any thread may read. */
public final class SessionCounters {
    public final LongAdder framesIn = new LongAdder();
    public final LongAdder framesOut = new LongAdder();
    /** Sockets that became sessions: refused ones are in neither of these two. */
    public final LongAdder opened = new LongAdder();
    /** Sessions that have ended, whoever ended them. */
    public final LongAdder ended = new LongAdder();
    /** Sockets closed because what they sent breaks RFC 6455 or its limits here. */
    public final LongAdder malformed = new LongAdder();
    /** Sockets closed at once because the server is full or stopping. */
    public final LongAdder turnedAway = new LongAdder();

    private final Map<CloseCode, LongAdder> closed = new EnumMap<>(CloseCode.class);

    public SessionCounters() {
        for (CloseCode code : CloseCode.values()) closed.put(code, new LongAdder());
    }

    void closed(CloseCode code) {
        byCode(code).increment();
    }

    /** Sockets that this server closed with this code. */
    public LongAdder byCode(CloseCode code) {
        LongAdder counter = closed.get(code);
        if (counter == null) throw new IllegalStateException("no counter for " + code);
        return counter;
    }
}

package chat.server.presence;

import chat.log.EntryHeader;
import chat.log.LogSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the server incarnations that write to one partition, and detects those that timed out. Time counts only while
 * this server reads its own heartbeats, so a pause of this server or of the log does not time out others. Not
 * thread-safe.
 */
final class Incarnations {
    private final LogSettings log;
    private final LongSupplier nanoTime;
    private final IncarnationState own;
    private final Map<Long, IncarnationState> others = new HashMap<>();
    private final long beatsUntilTimeout;
    private long lastBeatNanos;

    /** @param ownId incarnation of this server */
    Incarnations(long ownId, LogSettings log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
        this.own = new IncarnationState(ownId, "this server");
        this.beatsUntilTimeout =
                Math.ceilDiv(log.silence().toNanos(), log.heartbeat().toNanos());
        this.lastBeatNanos = nanoTime.getAsLong() - log.heartbeat().toNanos();
    }

    IncarnationState own() {
        return own;
    }

    Set<Long> others() {
        return others.keySet();
    }

    /** Returns null if the incarnation is unknown or was removed. */
    @Nullable
    IncarnationState find(long id) {
        return id == own.id ? own : others.get(id);
    }

    /** Records an entry, and returns the incarnation that wrote it. */
    IncarnationState heard(EntryHeader header) {
        if (header.incarnation() == own.id) return own;
        IncarnationState incarnation =
                others.computeIfAbsent(header.incarnation(), id -> new IncarnationState(id, header.serverId()));
        incarnation.heard(nanoTime.getAsLong());
        return incarnation;
    }

    /** Counts an own heartbeat; ignores bursts after an outage of the log, as they do not measure time. */
    void ownHeartbeat() {
        long now = nanoTime.getAsLong();
        if (now - lastBeatNanos < log.heartbeat().toNanos() / 2) return;
        lastBeatNanos = now;
        for (IncarnationState incarnation : others.values()) incarnation.beatsSince++;
    }

    List<IncarnationState> timedOut(long now) {
        List<IncarnationState> timedOut = new ArrayList<>(0);
        for (IncarnationState incarnation : others.values())
            if (incarnation.beatsSince >= beatsUntilTimeout
                    && now - incarnation.lastHeardNanos >= log.silence().toNanos()) timedOut.add(incarnation);
        return timedOut;
    }

    void remove(IncarnationState incarnation) {
        others.remove(incarnation.id);
    }
}

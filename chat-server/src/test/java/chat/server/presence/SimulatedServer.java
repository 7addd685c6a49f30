package chat.server.presence;

import chat.log.EntryKind;
import chat.log.LogEntry;
import chat.log.LogSettings;
import chat.log.Roster;
import chat.protocol.Member;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import chat.server.presence.Tape.Said;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A server as presence sees it: has sessions, publishes in order, and reads at its own pace. An entry is in flight until
 * {@link #arrive}; each {@link #read} reads one entry.
 */
final class SimulatedServer {
    final long run;
    final Presence presence;
    final PresenceCounters counters = new PresenceCounters();
    private final Tape tape;
    private final LogSettings log;
    private final LongSupplier nanos;
    private final Deque<Written> onTheirWay = new ArrayDeque<>();
    private final Map<Long, List<Session>> unread = new HashMap<>();
    private final List<Session> waiting = new ArrayList<>();
    private final List<Said> waitingSaid = new ArrayList<>();
    private final Set<Session> sessions = new HashSet<>();
    private final List<PresenceUpdate> updates = new ArrayList<>();
    private long sequence;
    private int next;
    private boolean started;
    private boolean writable = true;
    private long heartbeatDue;

    /** One session of a user in a room; its identity matters, not what it says. */
    static final class Session {
        final RoomId room;
        final Member member;
        private boolean inLog;
        private boolean leaving;

        Session(RoomId room, Member member) {
            this.room = room;
            this.member = member;
        }

        boolean canLeave() {
            return !leaving;
        }
    }

    private record Written(
            EntryKind kind,
            long sequence,
            List<Said> said,
            @Nullable Roster roster,
            Runnable failed) {}

    /** @param from the entry of the tape that it reads first */
    SimulatedServer(long run, Tape tape, int from, LogSettings log, PresenceSettings settings, LongSupplier nanos) {
        this.run = run;
        this.tape = tape;
        this.next = from;
        this.log = log;
        this.nanos = nanos;
        this.presence = new Presence(run, log, settings, nanos, counters, this::publish, room -> true);
        write(EntryKind.HELLO, List.of(), null, () -> {});
    }

    private boolean publish(List<Roster> parts, Runnable failed) {
        if (!writable) return false;
        for (Roster part : parts) write(EntryKind.ROSTER, List.of(), part, failed);
        return true;
    }

    private void write(EntryKind kind, List<Said> said, @Nullable Roster roster, Runnable failed) {
        onTheirWay.add(new Written(kind, ++sequence, said, roster, failed));
    }

    void writable(boolean writable) {
        this.writable = writable;
    }

    Session join(RoomId room, Member member) {
        Session session = new Session(room, member);
        sessions.add(session);
        waiting.add(session);
        waitingSaid.add(new Said(room, member, MessageType.JOIN));
        return session;
    }

    void leave(Session session) {
        session.leaving = true;
        waiting.add(session);
        waitingSaid.add(new Said(session.room, session.member, MessageType.LEAVE));
    }

    /** Loses a LEAVE: the session has ended, and no entry will report it. */
    void vanish(Session session) {
        session.leaving = true;
        sessions.remove(session);
        if (session.inLog) presence.memberLeft(session.room, session.member);
    }

    /** Publishes a LEAVE of a session that has not left, as under an id that was used before. */
    void leaveOfNobody(Session session) {
        waiting.add(new Session(session.room, session.member));
        waitingSaid.add(new Said(session.room, session.member, MessageType.LEAVE));
    }

    /** Everything said goes into one entry, as long as the writer is not too far ahead. */
    void write() {
        if (waiting.isEmpty() || !started || !writable || unread.size() >= 32) return;
        write(EntryKind.MESSAGES, List.copyOf(waitingSaid), null, () -> {});
        unread.put(sequence, List.copyOf(waiting));
        waiting.clear();
        waitingSaid.clear();
    }

    boolean hasOnItsWay() {
        return !onTheirWay.isEmpty();
    }

    boolean hasUnwritten() {
        return !waiting.isEmpty();
    }

    boolean hasUnread() {
        return next < tape.size();
    }

    int read() {
        return next;
    }

    /** Appends the oldest entry in flight to the log. */
    void arrive() {
        Written first = onTheirWay.remove();
        switch (first.kind()) {
            case HELLO -> tape.hello(run, first.sequence());
            case HEARTBEAT -> tape.heartbeat(run, first.sequence());
            case MESSAGES -> tape.messages(run, first.sequence(), first.said());
            case ROSTER -> {
                if (first.roster() != null) tape.roster(run, first.sequence(), first.roster());
            }
            case STORED, LATER -> throw new AssertionError("nobody writes that here");
        }
    }

    /** The first on its way is lost, if it is a roster: those are not written again by themselves. */
    void lose() {
        Written first = onTheirWay.peek();
        if (first == null || first.kind() != EntryKind.ROSTER) return;
        onTheirWay.remove();
        first.failed().run();
    }

    void readOne() {
        LogEntry entry = tape.entry(next++);
        presence.read(entry);
        if (entry.header().incarnation() == run) own(entry);
        presence.publishDue();
    }

    private void own(LogEntry entry) {
        if (entry.header().kind() == EntryKind.HELLO && !started) {
            started = true;
            presence.started();
        }
        List<Session> said = unread.remove(entry.header().sequence());
        if (said == null) return;
        for (Session session : said) {
            if (!sessions.contains(session)) continue; // it has vanished
            if (!session.inLog) {
                session.inLog = true;
                presence.memberJoined(session.room, session.member);
            } else {
                sessions.remove(session);
                presence.memberLeft(session.room, session.member);
            }
        }
    }

    void readAll() {
        while (hasUnread()) readOne();
    }

    /** Runs the steps of every 250 ms. */
    void tick() {
        if (started && writable && nanos.getAsLong() >= heartbeatDue) {
            heartbeatDue = nanos.getAsLong() + log.heartbeat().toNanos();
            write(EntryKind.HEARTBEAT, List.of(), null, () -> {});
        }
        presence.checkTimeouts();
        presence.publishDue();
        updates.addAll(presence.takeUpdates());
    }

    /** Members through this server, as far as it has read the log. */
    List<Session> there() {
        return sessions.stream().filter(session -> session.inLog).toList();
    }

    List<PresenceUpdate> takeUpdates() {
        List<PresenceUpdate> all = List.copyOf(updates);
        updates.clear();
        return all;
    }
}

package chat.server.presence;

import chat.log.LogSettings;
import chat.log.Roster;
import chat.protocol.Member;
import chat.protocol.RoomId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Publishes this server's roster in one partition: when another server needs it, when it was lost, and when the log is
 * wrong about this server's members. Not thread-safe.
 */
final class RosterPublisher {
    /** Longest pause between two corrections, in intervals. */
    private static final int MAX_PAUSE = 16;

    private final IncarnationState own;
    private final PresenceIndex index;
    private final LogSettings log;
    private final PresenceCounters counters;
    private final Presence.Publisher publisher;
    private final PresenceCorrections corrections = new PresenceCorrections();
    private final long intervalNanos;

    private boolean wanted;
    /** The next roster asks all other servers for theirs. */
    private boolean asking;

    private @Nullable Published published;
    private long rosters;
    private long correctedNanos;
    /** Grows with successive corrections: clients can cause them, and a roster lists all members. */
    private long correctionPauseNanos;

    /** A roster while it is unconfirmed. */
    private record Published(long number, boolean asked, long nanos) {}

    /** @param now current time in nanoseconds */
    RosterPublisher(
            IncarnationState own,
            PresenceIndex index,
            LogSettings log,
            PresenceSettings settings,
            PresenceCounters counters,
            Presence.Publisher publisher,
            long now) {
        this.own = own;
        this.index = index;
        this.log = log;
        this.counters = counters;
        this.publisher = publisher;
        this.intervalNanos = settings.interval().toNanos();
        this.correctedNanos = now - log.heartbeat().toNanos();
        this.correctionPauseNanos = intervalNanos;
    }

    /** Requests that the roster is published with the next {@link #publishDue}. */
    void want() {
        wanted = true;
    }

    /** The same, and asks all other servers for their rosters: entries are missing. */
    void wantAll() {
        wanted = true;
        asking = true;
    }

    /**
     * Starts without a roster, unless entries are missing: servers that said HELLO earlier do not wait for this one.
     */
    void started() {
        wanted = asking;
    }

    /** Records that the published roster was read back. */
    void readBack() {
        published = null;
    }

    /** @param by number of this server's sessions that the log does not show; negative: sessions in excess */
    void missing(RoomId room, Member member, int by) {
        corrections.add(room, member, by);
    }

    /** Publishes the roster if it is wanted, lost, or corrects the log. */
    void publishDue(long now) {
        Published out = published;
        if (out != null) {
            if (now - out.nanos() < log.heartbeat().toNanos()) return;
            lost(out); // not read back in time
        }
        boolean wrong = !corrections.isEmpty() && !index.isFull() && now - correctedNanos >= correctionPauseNanos;
        if (!wanted && !wrong) return;
        List<Roster> parts = Roster.of(own.id, own.lastSequence(), asking, rooms(), log.maxEntryBytes());
        Published mine = new Published(++rosters, asking, now);
        if (!publisher.publish(parts, () -> lost(mine))) return;
        published = mine;
        wanted = false;
        asking = false;
        counters.rostersPublished.increment();
        if (wrong) corrected(now);
    }

    private void corrected(long now) {
        boolean again = now - correctedNanos < 2 * correctionPauseNanos;
        correctionPauseNanos = again ? Math.min(2 * correctionPauseNanos, MAX_PAUSE * intervalNanos) : intervalNanos;
        correctedNanos = now;
        counters.corrections.increment();
    }

    private void lost(Published roster) {
        if (!roster.equals(published)) return; // read back, or replaced by a later one
        published = null;
        wanted = true;
        asking |= roster.asked();
    }

    private List<Roster.Room> rooms() {
        Set<RoomId> ids = new HashSet<>(own.rooms());
        corrections.rooms().forEach(ids::add);
        List<Roster.Room> rooms = new ArrayList<>(ids.size());
        for (RoomId room : ids) {
            List<Roster.Attendee> attendees = new ArrayList<>();
            for (PresenceIndex.MemberSessions known : index.of(own, room)) {
                int sessions =
                        known.sessions() + corrections.of(room, known.member().userId());
                if (sessions > 0) attendees.add(attendee(known.member(), sessions));
            }
            corrections.forEach(room, (member, sessions) -> {
                if (sessions > 0 && index.sessions(room, member.userId(), own) == 0)
                    attendees.add(attendee(member, sessions));
            });
            if (!attendees.isEmpty()) rooms.add(new Roster.Room(room, attendees));
        }
        return rooms;
    }

    private static Roster.Attendee attendee(Member member, int sessions) {
        return new Roster.Attendee(
                member.userId(),
                member.username(),
                member.displayName(),
                Math.min(sessions, Roster.Attendee.MAX_SESSIONS));
    }
}

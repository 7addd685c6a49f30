package chat.server.presence;

import chat.log.EntryHeader;
import chat.log.LogEntry;
import chat.log.LogSettings;
import chat.log.Roster;
import chat.log.Segment;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import chat.server.presence.IncarnationState.Change;
import chat.server.presence.PresenceIndex.Effect;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks the members of one partition's rooms on all servers. The state of each server incarnation is a function of the
 * log: its JOINs and LEAVEs, and its rosters, which list all its members for servers that have not read every entry.
 * If an incarnation times out while this server reads its own heartbeats, this server proposes in the log to remove it.
 * All servers apply the proposal at the same position. An incarnation that is alive reads it and publishes its roster.
 *
 * <p>Confined to the partition's thread.
 */
public final class Presence {
    private static final Logger logger = LoggerFactory.getLogger(Presence.class);
    /** Longest pause between two corrections, in intervals. */
    private static final int MOST_PAUSE = 16;

    private final PresenceSettings settings;
    private final LogSettings log;
    private final LongSupplier nanoTime;
    private final PresenceCounters counters;
    private final Publisher publisher;
    /** Rooms with members that receive notifications. */
    private final Predicate<RoomId> watched;

    private final Map<Long, IncarnationState> runs = new HashMap<>();
    private final PresenceIndex attendance;
    private final IncarnationState own;
    private final PresenceCorrections corrections = new PresenceCorrections();
    private final PresenceNotifier news;

    /** Changes of the member counts by the last entry read, message by message. */
    private final List<Step> steps = new ArrayList<>();

    private boolean started;
    private boolean ready;
    private long startedNanos;
    /** Incarnations whose roster has not been read yet. */
    private final Set<Long> awaited = new HashSet<>();
    /** An incarnation that has ended and publishes nothing more; 0: none. */
    private long over;

    private final long beatsOfSilence;
    private long lastBeatNanos;

    private boolean rosterWanted;
    private boolean asking;
    private @Nullable Published published;
    private long rosters;
    private long correctedNanos;
    /** Grows with successive corrections: clients can cause them, and a roster lists all members. */
    private long correctionPauseNanos;

    /** Writes into the partition. */
    public interface Publisher {
        /**
         * @param parts all parts of one roster
         * @param failed called on the partition's thread if the roster may not have reached the log
         * @return false if nothing can be published now
         */
        boolean publish(List<Roster> parts, Runnable failed);
    }

    private record Step(RoomId room, int index, int by) {}

    /** This server's roster while it is unconfirmed. */
    private record Published(long number, boolean asked, long nanos) {}

    /** @param run incarnation of this server */
    public Presence(
            long run,
            LogSettings log,
            PresenceSettings settings,
            LongSupplier nanoTime,
            PresenceCounters counters,
            Publisher publisher,
            Predicate<RoomId> watched) {
        this.settings = settings;
        this.log = log;
        this.nanoTime = nanoTime;
        this.counters = counters;
        this.publisher = publisher;
        this.watched = watched;
        this.attendance = new PresenceIndex(settings.maxMembers(), counters.beyondBound);
        this.news = new PresenceNotifier(settings, counters.namesLeftOut);
        this.own = new IncarnationState(run, "this server");
        this.beatsOfSilence =
                Math.ceilDiv(log.silence().toNanos(), log.heartbeat().toNanos());
        this.lastBeatNanos = nanoTime.getAsLong() - log.heartbeat().toNanos();
        this.correctedNanos = lastBeatNanos;
        this.correctionPauseNanos = settings.interval().toNanos();
    }

    /** Distinct users of a room, on all servers. */
    public int members(RoomId room) {
        return attendance.members(room);
    }

    /** Distinct users of a room right after this message of the last entry read. */
    public int membersAt(RoomId room, int index) {
        int members = attendance.members(room);
        for (Step step : steps) if (step.index() > index && step.room().equals(room)) members -= step.by();
        return members;
    }

    /** Whether its JOINs and LEAVEs are coalesced instead of sent one by one. */
    public boolean isLarge(RoomId room) {
        return attendance.members(room) > settings.singleUpTo();
    }

    /** @param after a userId; null: start with the first */
    public RosterPage page(RoomId room, @Nullable String after, int limit) {
        return attendance.page(room, after, limit);
    }

    /** Records that this incarnation has ended without members, so nothing waits for it. 0: none. */
    public void over(long run) {
        over = run;
    }

    /** Starts presence once this server has read its own HELLO, and with it the recent entries of others. */
    public void started() {
        started = true;
        startedNanos = nanoTime.getAsLong();
        awaited.addAll(runs.keySet());
        awaited.remove(over);
        ready = awaited.isEmpty();
        rosterWanted = asking; // servers that said HELLO earlier do not wait for this one
    }

    /** Whether every live incarnation has published its roster or timed out. */
    public boolean isReady() {
        return ready;
    }

    /** Handles missing entries: every incarnation publishes its roster again. */
    public void gap() {
        rosterWanted = true;
        asking = true;
    }

    /** Adds a session of this server to a room, after its JOIN was read back. */
    public void came(RoomId room, Member member) {
        corrections.add(room, member, 1);
    }

    /** Removes a joined session of this server, after its LEAVE was read back or has failed. */
    public void went(RoomId room, Member member) {
        corrections.add(room, member, -1);
    }

    /** Applies the next entry of the log, before it is delivered to members. */
    public void read(LogEntry entry) {
        steps.clear();
        EntryHeader header = entry.header();
        switch (header.kind()) {
            case MESSAGES -> messages(entry, heard(header));
            case HELLO -> {
                IncarnationState run = heard(header);
                if (run != own) rosterWanted = true;
            }
            case HEARTBEAT -> {
                if (heard(header) == own) beat();
            }
            case ROSTER -> {
                IncarnationState author = heard(header);
                if (entry.roster() != null) roster(author, entry.roster());
            }
            case STORED -> {} // written by the consumer, which has no members
            case LATER -> {}
        }
    }

    private IncarnationState heard(EntryHeader header) {
        if (header.run() == own.id) return own;
        IncarnationState run = runs.computeIfAbsent(header.run(), id -> new IncarnationState(id, header.serverId()));
        run.heard(nanoTime.getAsLong());
        return run;
    }

    /** Counts an own heartbeat; ignores bursts after an outage of the log, as they do not measure time. */
    private void beat() {
        long now = nanoTime.getAsLong();
        if (now - lastBeatNanos < log.heartbeat().toNanos() / 2) return;
        lastBeatNanos = now;
        for (IncarnationState run : runs.values()) run.beatsSince++;
    }

    private void messages(LogEntry entry, IncarnationState run) {
        List<Change> all = List.of();
        for (Segment segment : entry.segments()) {
            List<Told> told = changes(segment, run);
            if (told.isEmpty()) continue;
            tell(segment.room(), told, run);
            if (all.isEmpty()) all = new ArrayList<>(told.size());
            for (Told one : told) all.add(one.change());
        }
        run.remember(entry.header().sequence(), all);
    }

    /** A JOIN or LEAVE, and whether it changed the members of the room. */
    private record Told(Change change, Effect effect) {}

    private List<Told> changes(Segment segment, IncarnationState run) {
        List<Told> told = List.of();
        for (int i = 0; i < segment.size(); i++) {
            MessageType type = segment.type(i);
            if (type == MessageType.TEXT) continue;
            if (told.isEmpty()) told = new ArrayList<>();
            Change change = type == MessageType.JOIN ? join(segment, i) : leave(segment, i);
            RoomId room = segment.room();
            int sessions = attendance.sessions(room, change.member().userId(), run);
            Effect effect = set(room, change.member(), run, sessions + change.by());
            told.add(new Told(change, effect));
            if (effect != Effect.NONE)
                steps.add(new Step(room, segment.firstIndex() + i, effect == Effect.CAME ? 1 : -1));
        }
        return told;
    }

    private static Change join(Segment segment, int i) {
        return new Change(segment.room(), member(segment, i), 1);
    }

    /** Takes the user's name from the index instead of decoding it from the LEAVE. */
    private Change leave(Segment segment, int i) {
        String userId = segment.userId(i);
        Member known = attendance.member(segment.room(), userId);
        return new Change(segment.room(), known != null ? known : new Member(userId, userId), -1);
    }

    private static Member member(Segment segment, int i) {
        String userId = segment.userId(i);
        try {
            Member member = MessageJson.decode(segment.json(i)).member();
            return new Member(userId, member.username(), member.displayName());
        } catch (IllegalArgumentException notOurs) {
            return new Member(userId, userId); // count the user even if the name is invalid
        }
    }

    /** Notifies a room of one entry's changes: each message by itself, or the member count alone. */
    private void tell(RoomId room, List<Told> told, IncarnationState run) {
        // A member that joins with this entry receives the changes after its JOIN.
        boolean joins = run == own && told.stream().anyMatch(one -> one.change().by() > 0);
        if (!joins && !watched.test(room)) return;
        boolean large = isLarge(room);
        long now = nanoTime.getAsLong();
        for (Told one : told) {
            Member member = one.change().member();
            if (large) {
                tellMerged(room, member, one.effect(), now);
                continue;
            }
            news.told(room, member.userId());
            if (one.effect() != Effect.NONE) continue;
            news.counted(room, now);
            boolean stays = one.change().by() < 0 && attendance.member(room, member.userId()) != null;
            if (stays) news.stayed(room, member, now);
        }
    }

    private void tellMerged(RoomId room, Member member, Effect effect, long now) {
        switch (effect) {
            case CAME -> news.joined(room, member, now);
            case WENT -> news.left(room, member, now);
            case NONE -> {}
        }
    }

    /** Applies a change; all changes pass here, so that those of this server's own members are verified. */
    private Effect set(RoomId room, Member member, IncarnationState run, int sessions) {
        int staysBefore = attendance.stays();
        int before = run == own ? attendance.sessions(room, member.userId(), run) : 0;
        Effect effect = attendance.set(room, member, run, Math.clamp(sessions, 0, Roster.Attendee.MAX_SESSIONS));
        counters.members.addAndGet(attendance.stays() - staysBefore);
        if (run == own) corrections.add(room, member, before - attendance.sessions(room, member.userId(), run));
        return effect;
    }

    private void roster(IncarnationState author, Roster part) {
        if (part.asks() && author != own) rosterWanted = true;
        List<Roster.Room> rooms = author.take(part);
        if (rooms == null) return;
        boolean ofItself = part.run() == author.id;
        IncarnationState subject = part.run() == own.id ? own : runs.get(part.run());
        if (subject == null) return; // removed already, or unknown
        // Other servers may have removed this server's members because of this entry.
        if (subject == own && !ofItself) rosterWanted = true;
        List<Change> since = subject.changesAfter(part.through());
        // This roster is too old; a live incarnation publishes another one.
        if (since == null) {
            counters.rostersTooOld.increment();
            return;
        }
        replace(subject, rooms, since);
        if (ofItself) subject.readThrough(part.through());
        awaited.remove(part.run());
        if (ofItself) {
            if (author == own) published = null;
        } else if (subject != own && subject.rooms().isEmpty()) {
            runs.remove(part.run());
            counters.runsGone.increment();
            logger.info("{} was unheard for too long: who was there through it is gone", subject.name);
        }
    }

    private record Place(RoomId room, String userId) {}

    /** Replaces the incarnation's members by its roster, then applies its later entries. */
    private void replace(IncarnationState run, List<Roster.Room> rooms, List<Change> since) {
        Map<Place, PresenceIndex.Here> there = new HashMap<>();
        for (Roster.Room room : rooms)
            for (Roster.Attendee one : room.attendees())
                add(there, room.id(), new Member(one.userId(), one.username(), one.displayName()), one.sessions());
        for (Change change : since) add(there, change.room(), change.member(), change.by());
        for (RoomId room : List.copyOf(run.rooms()))
            for (PresenceIndex.Here here : attendance.of(run, room))
                if (!there.containsKey(new Place(room, here.member().userId()))) correct(room, here.member(), run, 0);
        there.forEach((place, here) -> correct(place.room(), here.member(), run, here.sessions()));
    }

    private static void add(Map<Place, PresenceIndex.Here> there, RoomId room, Member member, int by) {
        there.compute(new Place(room, member.userId()), (unused, before) -> {
            int sessions = by + (before == null ? 0 : before.sessions());
            return sessions > 0 ? new PresenceIndex.Here(member, sessions) : null;
        });
    }

    /** Applies a correction, which no message has announced. */
    private void correct(RoomId room, Member member, IncarnationState run, int sessions) {
        Effect effect = set(room, member, run, sessions);
        if (effect != Effect.NONE && watched.test(room)) tellMerged(room, member, effect, nanoTime.getAsLong());
    }

    /** Publishes rosters and proposals that are due. Call it after each entry, at least every 250 ms. */
    public void act() {
        if (!started) return;
        long now = nanoTime.getAsLong();
        if (!ready)
            ready = awaited.isEmpty()
                    || now - startedNanos >= settings.patience().toNanos();
        publishOwn(now);
    }

    private void publishOwn(long now) {
        Published out = published;
        if (out != null) {
            if (now - out.nanos() < log.heartbeat().toNanos()) return;
            lost(out); // not read back in time: treat it as lost
        }
        boolean wrong = !corrections.isEmpty() && !attendance.isFull() && now - correctedNanos >= correctionPauseNanos;
        if (!rosterWanted && !wrong) return;
        List<Roster> parts = Roster.of(own.id, own.lastSequence(), asking, ownRooms(), log.maxEntryBytes());
        Published mine = new Published(++rosters, asking, now);
        if (!publisher.publish(parts, () -> lost(mine))) return;
        published = mine;
        rosterWanted = false;
        asking = false;
        counters.rostersPublished.increment();
        if (!wrong) return;
        boolean again = now - correctedNanos < 2 * correctionPauseNanos;
        long interval = settings.interval().toNanos();
        correctionPauseNanos = again ? Math.min(2 * correctionPauseNanos, MOST_PAUSE * interval) : interval;
        correctedNanos = now;
        counters.corrections.increment();
    }

    private void lost(Published roster) {
        if (!roster.equals(published)) return; // read back, or replaced by a later one
        published = null;
        rosterWanted = true;
        asking |= roster.asked();
    }

    private List<Roster.Room> ownRooms() {
        Set<RoomId> ids = new HashSet<>(own.rooms());
        corrections.rooms().forEach(ids::add);
        List<Roster.Room> rooms = new ArrayList<>(ids.size());
        for (RoomId room : ids) {
            List<Roster.Attendee> attendees = new ArrayList<>();
            for (PresenceIndex.Here here : attendance.of(own, room)) {
                int sessions =
                        here.sessions() + corrections.of(room, here.member().userId());
                if (sessions > 0) attendees.add(attendee(here.member(), sessions));
            }
            corrections.forEach(room, (member, sessions) -> {
                if (sessions > 0 && attendance.sessions(room, member.userId(), own) == 0)
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

    /**
     * Finds incarnations that have timed out. Call it about every 250 ms. Time counts only while this server reads its
     * own heartbeats, so that a pause of this server or of the log does not time out others.
     */
    public void watch() {
        if (!started) return;
        long now = nanoTime.getAsLong();
        List<IncarnationState> nobodyThere = new ArrayList<>();
        for (IncarnationState run : runs.values()) {
            boolean silent = run.beatsSince >= beatsOfSilence
                    && now - run.lastHeardNanos >= log.silence().toNanos();
            if (!silent) continue;
            if (run.rooms().isEmpty()) nobodyThere.add(run);
            else propose(run, now);
        }
        for (IncarnationState run : nobodyThere) {
            runs.remove(run.id);
            awaited.remove(run.id);
        }
    }

    private void propose(IncarnationState run, long now) {
        if (run.proposed && now - run.proposedNanos < log.heartbeat().toNanos()) return;
        List<Roster> nobody = Roster.of(run.id, run.lastSequence(), false, List.of(), log.maxEntryBytes());
        run.proposed = publisher.publish(nobody, () -> run.proposed = false);
        run.proposedNanos = now;
    }

    /** Ends presence when the partition is no longer read. */
    public void end() {
        counters.members.addAndGet(-attendance.stays());
    }

    /** Takes the notifications that are due; each is returned once. */
    public List<PresenceUpdate> news() {
        return news.take(attendance, nanoTime.getAsLong());
    }
}

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
import chat.server.presence.PresenceIndex.MemberSessions;
import chat.server.presence.PresenceNotifier.AppliedChange;
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

    private final PresenceSettings settings;
    private final LogSettings log;
    private final LongSupplier nanoTime;
    private final PresenceCounters counters;
    private final Publisher publisher;

    private final Incarnations incarnations;
    private final IncarnationState own;
    private final PresenceIndex index;
    private final RosterPublisher rosters;
    private final PresenceNotifier notifier;

    /** Changes of the member counts by the last entry read, message by message. */
    private final List<Step> steps = new ArrayList<>();

    private boolean started;
    private boolean ready;
    private long startedNanos;
    /** Incarnations whose roster has not been read yet. */
    private final Set<Long> awaited = new HashSet<>();
    /** An incarnation that has ended and publishes nothing more; 0: none. */
    private long ended;

    /** Writes into the partition. */
    public interface Publisher {
        /**
         * @param parts all parts of one roster
         * @param failed called on the partition's thread if the roster may not have reached the log
         * @return false if nothing can be published now
         */
        boolean publish(List<Roster> parts, Runnable failed);
    }

    private record Step(RoomId room, int message, int by) {}

    /**
     * @param incarnation incarnation of this server
     * @param hasLocalMembers whether a room has members on this server, which receive notifications
     */
    public Presence(
            long incarnation,
            LogSettings log,
            PresenceSettings settings,
            LongSupplier nanoTime,
            PresenceCounters counters,
            Publisher publisher,
            Predicate<RoomId> hasLocalMembers) {
        this.settings = settings;
        this.log = log;
        this.nanoTime = nanoTime;
        this.counters = counters;
        this.publisher = publisher;
        this.incarnations = new Incarnations(incarnation, log, nanoTime);
        this.own = incarnations.own();
        this.index = new PresenceIndex(settings.maxMembers(), counters.beyondBound);
        this.rosters = new RosterPublisher(own, index, log, settings, counters, publisher, nanoTime.getAsLong());
        this.notifier = new PresenceNotifier(settings, index, hasLocalMembers, counters.namesLeftOut);
    }

    /** Distinct users of a room, on all servers. */
    public int members(RoomId room) {
        return index.members(room);
    }

    /**
     * Distinct users of a room right after a message of the last entry read.
     *
     * @param message index of the message in the entry
     */
    public int membersAt(RoomId room, int message) {
        int members = index.members(room);
        for (Step step : steps) if (step.message() > message && step.room().equals(room)) members -= step.by();
        return members;
    }

    /** Whether its JOINs and LEAVEs are coalesced instead of sent one by one. */
    public boolean isLarge(RoomId room) {
        return index.members(room) > settings.singleUpTo();
    }

    /** @param after a userId; null: start with the first */
    public RosterPage page(RoomId room, @Nullable String after, int limit) {
        return index.page(room, after, limit);
    }

    /** Records that this incarnation has ended without members, so nothing waits for it. 0: none. */
    public void incarnationEnded(long incarnation) {
        ended = incarnation;
    }

    /** Starts presence once this server has read its own HELLO, and with it the recent entries of others. */
    public void started() {
        started = true;
        startedNanos = nanoTime.getAsLong();
        awaited.addAll(incarnations.others());
        awaited.remove(ended);
        ready = awaited.isEmpty();
        rosters.started();
    }

    /** Whether every live incarnation has published its roster or timed out. */
    public boolean isReady() {
        return ready;
    }

    /** Handles missing entries: every incarnation publishes its roster again. */
    public void entriesMissing() {
        rosters.wantAll();
    }

    /** Adds a session of this server to a room, after its JOIN was read back. */
    public void memberJoined(RoomId room, Member member) {
        rosters.missing(room, member, 1);
    }

    /** Removes a joined session of this server, after its LEAVE was read back or has failed. */
    public void memberLeft(RoomId room, Member member) {
        rosters.missing(room, member, -1);
    }

    /** Applies the next entry of the log, before it is delivered to members. */
    public void read(LogEntry entry) {
        steps.clear();
        EntryHeader header = entry.header();
        switch (header.kind()) {
            case MESSAGES -> messages(entry, incarnations.heard(header));
            case HELLO -> {
                if (incarnations.heard(header) != own) rosters.want();
            }
            case HEARTBEAT -> {
                if (incarnations.heard(header) == own) incarnations.ownHeartbeat();
            }
            case ROSTER -> {
                IncarnationState author = incarnations.heard(header);
                if (entry.roster() != null) roster(author, entry.roster());
            }
            case STORED -> {} // written by the consumer, which has no members
            case LATER -> {}
        }
    }

    private void messages(LogEntry entry, IncarnationState author) {
        List<Change> all = List.of();
        for (Segment segment : entry.segments()) {
            List<AppliedChange> applied = changes(segment, author);
            if (applied.isEmpty()) continue;
            notifier.messagesApplied(segment.room(), applied, author == own, nanoTime.getAsLong());
            if (all.isEmpty()) all = new ArrayList<>(applied.size());
            for (AppliedChange one : applied) all.add(one.change());
        }
        author.remember(entry.header().sequence(), all);
    }

    private List<AppliedChange> changes(Segment segment, IncarnationState author) {
        List<AppliedChange> applied = List.of();
        for (int i = 0; i < segment.size(); i++) {
            MessageType type = segment.type(i);
            if (type == MessageType.TEXT) continue;
            if (applied.isEmpty()) applied = new ArrayList<>();
            Change change = type == MessageType.JOIN ? join(segment, i) : leave(segment, i);
            RoomId room = segment.room();
            int sessions = index.sessions(room, change.member().userId(), author);
            Effect effect = set(room, change.member(), author, sessions + change.by());
            applied.add(new AppliedChange(change, effect));
            if (effect != Effect.NONE)
                steps.add(new Step(room, segment.firstIndex() + i, effect == Effect.JOINED ? 1 : -1));
        }
        return applied;
    }

    private static Change join(Segment segment, int i) {
        return new Change(segment.room(), member(segment, i), 1);
    }

    /** Takes the user's name from the index instead of decoding it from the LEAVE. */
    private Change leave(Segment segment, int i) {
        String userId = segment.userId(i);
        Member known = index.member(segment.room(), userId);
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

    /** Applies a change; all changes pass here, so that those of this server's own members are verified. */
    private Effect set(RoomId room, Member member, IncarnationState incarnation, int sessions) {
        int entriesBefore = index.entries();
        int before = incarnation == own ? index.sessions(room, member.userId(), incarnation) : 0;
        Effect effect = index.set(room, member, incarnation, Math.clamp(sessions, 0, Roster.Attendee.MAX_SESSIONS));
        counters.members.addAndGet(index.entries() - entriesBefore);
        if (incarnation == own)
            rosters.missing(room, member, before - index.sessions(room, member.userId(), incarnation));
        return effect;
    }

    private void roster(IncarnationState author, Roster part) {
        if (part.asks() && author != own) rosters.want();
        List<Roster.Room> rooms = author.take(part);
        if (rooms == null) return;
        IncarnationState subject = incarnations.find(part.incarnation());
        if (subject == null) return; // removed already, or unknown
        boolean ofItself = subject == author;
        // Other servers may have removed this server's members because of this entry.
        if (subject == own && !ofItself) rosters.want();
        List<Change> since = subject.changesAfter(part.through());
        // This roster is too old; a live incarnation publishes another one.
        if (since == null) {
            counters.rostersTooOld.increment();
            return;
        }
        replace(subject, rooms, since);
        awaited.remove(subject.id);
        if (ofItself) {
            subject.readThrough(part.through());
            if (author == own) rosters.readBack();
        } else if (subject != own && subject.rooms().isEmpty()) {
            incarnations.remove(subject);
            counters.runsGone.increment();
            logger.info("Server {} timed out; removed its members from a partition", subject.name);
        }
    }

    private record Key(RoomId room, String userId) {}

    /** Replaces the incarnation's members by its roster, then applies its later entries. */
    private void replace(IncarnationState incarnation, List<Roster.Room> rooms, List<Change> since) {
        Map<Key, MemberSessions> expected = new HashMap<>();
        for (Roster.Room room : rooms)
            for (Roster.Attendee one : room.attendees())
                add(expected, room.id(), new Member(one.userId(), one.username(), one.displayName()), one.sessions());
        for (Change change : since) add(expected, change.room(), change.member(), change.by());
        for (RoomId room : List.copyOf(incarnation.rooms()))
            for (MemberSessions known : index.of(incarnation, room))
                if (!expected.containsKey(new Key(room, known.member().userId())))
                    correct(room, known.member(), incarnation, 0);
        expected.forEach((key, now) -> correct(key.room(), now.member(), incarnation, now.sessions()));
    }

    private static void add(Map<Key, MemberSessions> expected, RoomId room, Member member, int by) {
        expected.compute(new Key(room, member.userId()), (unused, before) -> {
            int sessions = by + (before == null ? 0 : before.sessions());
            return sessions > 0 ? new MemberSessions(member, sessions) : null;
        });
    }

    /** Applies a correction, which no message has announced. */
    private void correct(RoomId room, Member member, IncarnationState incarnation, int sessions) {
        Effect effect = set(room, member, incarnation, sessions);
        notifier.corrected(room, member, effect, nanoTime.getAsLong());
    }

    /** Publishes this server's roster if it is due, and updates {@link #isReady}. Call it after each entry and tick. */
    public void publishDue() {
        if (!started) return;
        long now = nanoTime.getAsLong();
        if (!ready)
            ready = awaited.isEmpty()
                    || now - startedNanos >= settings.patience().toNanos();
        rosters.publishDue(now);
    }

    /** Removes or proposes to remove incarnations that have timed out. Call it in each tick, about every 250 ms. */
    public void checkTimeouts() {
        if (!started) return;
        long now = nanoTime.getAsLong();
        for (IncarnationState incarnation : incarnations.timedOut(now)) {
            if (incarnation.rooms().isEmpty()) {
                incarnations.remove(incarnation);
                awaited.remove(incarnation.id);
            } else {
                propose(incarnation, now);
            }
        }
    }

    /** Publishes an empty roster of another incarnation; all servers remove its members when they read it. */
    private void propose(IncarnationState incarnation, long now) {
        if (incarnation.proposed
                && now - incarnation.proposedNanos < log.heartbeat().toNanos()) return;
        List<Roster> empty =
                Roster.of(incarnation.id, incarnation.lastSequence(), false, List.of(), log.maxEntryBytes());
        incarnation.proposed = publisher.publish(empty, () -> incarnation.proposed = false);
        incarnation.proposedNanos = now;
    }

    /** Ends presence when the partition is no longer read. */
    public void end() {
        counters.members.addAndGet(-index.entries());
    }

    /** Takes the notifications that are due; returns each once. */
    public List<PresenceUpdate> takeUpdates() {
        return notifier.take(nanoTime.getAsLong());
    }
}

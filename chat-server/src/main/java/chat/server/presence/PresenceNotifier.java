package chat.server.presence;

import chat.protocol.Member;
import chat.protocol.RoomId;
import chat.server.presence.IncarnationState.Change;
import chat.server.presence.PresenceIndex.Effect;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * Collects the changes of members that rooms have not seen as JOIN or LEAVE, until their next notification is due. A
 * join and a leave of the same user cancel out. Keeps only rooms with members on this server. Not thread-safe.
 */
final class PresenceNotifier {
    /** Maximum number of names kept per room and list; beyond it only the member count is correct. */
    private static final int MAX_NAMES = 1000;

    private final PresenceSettings settings;
    private final PresenceIndex index;
    private final Predicate<RoomId> hasLocalMembers;
    private final LongAdder namesLeftOut;
    private final Map<RoomId, Pending> rooms = new HashMap<>();

    /** A JOIN or LEAVE of the log, and its effect on the members of the room. */
    record AppliedChange(Change change, Effect effect) {}

    private final class Pending {
        final Map<String, Member> joined = new LinkedHashMap<>();
        final Map<String, Member> left = new LinkedHashMap<>();
        boolean more;
        /** A notification is due; otherwise this only records when the room may receive the next one. */
        boolean due;

        long notBeforeNanos;

        Pending(long now) {
            notBeforeNanos = now;
        }

        void add(Map<String, Member> names, Member member) {
            if (names.size() < MAX_NAMES) names.put(member.userId(), member);
            else {
                more = true;
                namesLeftOut.increment();
            }
        }
    }

    /**
     * @param hasLocalMembers whether a room has members on this server
     * @param namesLeftOut counts the names that were not kept
     */
    PresenceNotifier(
            PresenceSettings settings, PresenceIndex index, Predicate<RoomId> hasLocalMembers, LongAdder namesLeftOut) {
        this.settings = settings;
        this.index = index;
        this.hasLocalMembers = hasLocalMembers;
        this.namesLeftOut = namesLeftOut;
    }

    /**
     * Records the JOINs and LEAVEs of one entry in a room. A large room does not receive them as messages, so they are
     * collected. A small room receives each message, so only wrong impressions are corrected.
     *
     * @param ownEntry whether this server wrote the entry
     */
    void messagesApplied(RoomId room, List<AppliedChange> changes, boolean ownEntry, long now) {
        // A member that joins with this entry receives the changes after its JOIN.
        boolean joinsHere =
                ownEntry && changes.stream().anyMatch(one -> one.change().by() > 0);
        if (!joinsHere && !hasLocalMembers.test(room)) return;
        boolean large = index.members(room) > settings.singleUpTo();
        for (AppliedChange one : changes) {
            if (large) collect(room, one.change().member(), one.effect(), now);
            else announced(room, one, now);
        }
    }

    /** Records a change of members that no message has announced. */
    void corrected(RoomId room, Member member, Effect effect, long now) {
        if (effect != Effect.NONE && hasLocalMembers.test(room)) collect(room, member, effect, now);
    }

    private void collect(RoomId room, Member member, Effect effect, long now) {
        switch (effect) {
            case JOINED -> joined(room, member, now);
            case LEFT -> left(room, member, now);
            case NONE -> {}
        }
    }

    private void announced(RoomId room, AppliedChange applied, long now) {
        Member member = applied.change().member();
        forget(room, member.userId());
        if (applied.effect() != Effect.NONE) return;
        pending(room, now); // the message changes no members, so clients cannot derive the count from it
        boolean stays = applied.change().by() < 0 && index.member(room, member.userId()) != null;
        if (stays) stayed(room, member, now);
    }

    void joined(RoomId room, Member member, long now) {
        Pending update = pending(room, now);
        if (update.left.remove(member.userId()) == null) update.add(update.joined, member);
    }

    private void left(RoomId room, Member member, long now) {
        Pending update = pending(room, now);
        if (update.joined.remove(member.userId()) == null) update.add(update.left, member);
    }

    /** Lists a user as joined again: the room received its LEAVE, but another session of the user stays. */
    private void stayed(RoomId room, Member member, long now) {
        Pending update = pending(room, now);
        update.left.remove(member.userId());
        update.add(update.joined, member);
    }

    /** Drops older changes of a user, because the room has received a newer JOIN or LEAVE. */
    private void forget(RoomId room, String userId) {
        Pending update = rooms.get(room);
        if (update == null) return;
        update.joined.remove(userId);
        update.left.remove(userId);
    }

    private Pending pending(RoomId room, long now) {
        Pending update = rooms.computeIfAbsent(room, unused -> new Pending(now));
        update.due = true;
        return update;
    }

    /** Takes the notifications that are due; returns each once. */
    List<PresenceUpdate> take(long now) {
        if (rooms.isEmpty()) return List.of();
        List<PresenceUpdate> taken = new ArrayList<>();
        Iterator<Map.Entry<RoomId, Pending>> all = rooms.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<RoomId, Pending> one = all.next();
            Pending update = one.getValue();
            if (now - update.notBeforeNanos < 0) continue;
            if (!update.due) {
                all.remove();
                continue;
            }
            taken.add(update(one.getKey(), index.members(one.getKey()), update));
            update.joined.clear();
            update.left.clear();
            update.more = false;
            update.due = false;
            update.notBeforeNanos = now + settings.interval().toNanos();
        }
        return taken;
    }

    private PresenceUpdate update(RoomId room, int members, Pending update) {
        int most = members <= settings.singleUpTo() ? MAX_NAMES : settings.named();
        boolean more = update.more || update.joined.size() > most || update.left.size() > most;
        return new PresenceUpdate(room, members, first(update.joined, most), first(update.left, most), more);
    }

    private static List<Member> first(Map<String, Member> names, int most) {
        return names.values().stream().limit(most).toList();
    }
}

package chat.server.presence;

import chat.protocol.Member;
import chat.protocol.RoomId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Collects what rooms have to be told of their members until they may be told again. Who came and went in between cancels
 * out. Only rooms with members on this server are kept here. Not thread-safe.
 */
final class PresenceNotifier {
    /** Names kept for one room; beyond it the number alone is right. */
    private static final int MAX_NAMES = 1000;

    private final PresenceSettings settings;
    private final Map<RoomId, Pending> rooms = new HashMap<>();

    private final LongAdder leftOut;

    private final class Pending {
        final Map<String, Member> joined = new LinkedHashMap<>();
        final Map<String, Member> left = new LinkedHashMap<>();
        boolean more;
        /** Something has to be told; else this only knows when the room was told last. */
        boolean due;

        long notBeforeNanos;

        Pending(long now) {
            notBeforeNanos = now;
        }

        void add(Map<String, Member> names, Member member) {
            if (names.size() < MAX_NAMES) names.put(member.userId(), member);
            else {
                more = true;
                leftOut.increment();
            }
        }
    }

    /** @param leftOut counts the names that were not kept */
    PresenceNotifier(PresenceSettings settings, LongAdder leftOut) {
        this.settings = settings;
        this.leftOut = leftOut;
    }

    void joined(RoomId room, Member member, long now) {
        Pending news = pending(room, now);
        if (news.left.remove(member.userId()) == null) news.add(news.joined, member);
    }

    void left(RoomId room, Member member, long now) {
        Pending news = pending(room, now);
        if (news.joined.remove(member.userId()) == null) news.add(news.left, member);
    }

    /** A LEAVE was told of one who is still there. */
    void stayed(RoomId room, Member member, long now) {
        Pending news = pending(room, now);
        news.left.remove(member.userId());
        news.add(news.joined, member);
    }

    /** The number of members can't be told from single JOINs and LEAVEs. */
    void counted(RoomId room, long now) {
        pending(room, now);
    }

    /** It was told that the user came or went: nothing older may say otherwise. */
    void told(RoomId room, String userId) {
        Pending news = rooms.get(room);
        if (news == null) return;
        news.joined.remove(userId);
        news.left.remove(userId);
    }

    private Pending pending(RoomId room, long now) {
        Pending news = rooms.computeIfAbsent(room, unused -> new Pending(now));
        news.due = true;
        return news;
    }

    /** What may be told now; it counts as told. */
    List<PresenceUpdate> take(PresenceIndex attendance, long now) {
        if (rooms.isEmpty()) return List.of();
        List<PresenceUpdate> taken = new ArrayList<>();
        Iterator<Map.Entry<RoomId, Pending>> all = rooms.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<RoomId, Pending> one = all.next();
            Pending news = one.getValue();
            if (now - news.notBeforeNanos < 0) continue;
            if (!news.due) {
                all.remove();
                continue;
            }
            taken.add(news(one.getKey(), attendance.members(one.getKey()), news));
            news.joined.clear();
            news.left.clear();
            news.more = false;
            news.due = false;
            news.notBeforeNanos = now + settings.interval().toNanos();
        }
        return taken;
    }

    private PresenceUpdate news(RoomId room, int members, Pending news) {
        int most = members <= settings.singleUpTo() ? MAX_NAMES : settings.named();
        boolean more = news.more || news.joined.size() > most || news.left.size() > most;
        return new PresenceUpdate(room, members, first(news.joined, most), first(news.left, most), more);
    }

    private static List<Member> first(Map<String, Member> names, int most) {
        return names.values().stream().limit(most).toList();
    }
}

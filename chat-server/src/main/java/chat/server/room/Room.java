package chat.server.room;

import chat.protocol.ClientFrame.Since;
import chat.protocol.CloseCode;
import chat.protocol.RoomId;
import chat.protocol.ServerFrames;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * One room on this server: its members here, its last messages, and what is on its way to all of them.
 * Confined to the partition's thread.
 */
final class Room {
    /** Of a session that sends while it catches up; one that has more reads too slowly. */
    private static final int MAX_DEFERRED_ACKS = 10_000;

    private static final int MAX_IDS_IN_ACK = 1_000;

    private final RoomId id;
    private final RoomSettings settings;
    private final MessageKey.OfRoom key;
    private final RecentMessages recent;
    /** One for each event loop that has members here. */
    private List<LoopMembers> audiences = new ArrayList<>(2);

    /** What was read and not handed on yet: messages in their order, and acknowledgements that follow them. */
    private List<RecentMessage> unsent = new ArrayList<>();

    private Map<Membership, List<Membership.Ack>> unsentAcks = new LinkedHashMap<>();

    /** Have left while they caught up, and are still told what was said before they did. */
    private final List<Membership> leaving = new ArrayList<>(0);

    /** Members have said that messages of the room are gone with these. */
    private Set<Epochs.Hole> lost = Set.of();

    private final IntSupplier members;
    private int memberships;

    /** @param members distinct users in the room, on all servers */
    Room(RoomId id, RoomSettings settings, long coversAfter, IntSupplier members) {
        this.id = id;
        this.members = members;
        this.settings = settings;
        this.key = MessageKey.OfRoom.of(id);
        this.recent = new RecentMessages(settings.recentMessages(), settings.recentBytes(), coversAfter);
    }

    RoomId id() {
        return id;
    }

    MessageKey.OfRoom key() {
        return key;
    }

    RecentMessages recent() {
        return recent;
    }

    /** Sessions, from their JOIN read back to their LEAVE. */
    int memberships() {
        return memberships;
    }

    void admit(Membership membership) {
        membership.counted = true;
        memberships++;
    }

    /** Counts it no more and sends it nothing more of what comes; once, whatever ends it. */
    void remove(Membership membership) {
        if (!membership.counted) return;
        membership.counted = false;
        memberships--;
        if (membership.audience != null) membership.audience.remove(membership);
        membership.audience = null;
    }

    void welcome(Membership membership, long position) {
        welcome(membership, position, members.getAsInt());
    }

    void welcome(Membership membership, long position, int members) {
        membership.send(Frames.text(ServerFrames.welcome(
                id,
                membership.member(),
                settings.serverId(),
                position,
                members,
                settings.pingInterval().toMillis(),
                settings.rules(),
                settings.rate(),
                membership.subscriber.tokenExpiresAt())));
        membership.welcomed = true;
        Runnable asked = membership.whenWelcomed;
        if (asked != null) asked.run();
    }

    /** It has all up to now: it gets what comes from here on, unless it has left or never came in. */
    void finish(Membership membership) {
        flush(); // it has these
        if (membership.counted) goLive(membership);
        else membership.state = Membership.State.LEFT;
        acknowledge(membership, membership.deferredAcks);
        membership.deferredAcks.clear();
        // What it was sent of the past said who came and went then.
        if (membership.counted && !startsNow(membership))
            membership.send(Frames.text(ServerFrames.members(id, members.getAsInt(), List.of(), List.of(), false)));
    }

    /** It has left, and goes on until it has what was said before. */
    void goesOn(Membership membership) {
        leaving.add(membership);
    }

    /** It is told nothing more of the past: it has all that it wanted, or nobody is there to tell. */
    void told(Membership membership) {
        leaving.remove(membership);
    }

    /** Whether somebody who has left is still told what was said before. */
    boolean hasDepartedMembersCatchingUp() {
        return leaving.stream().anyMatch(Membership::catchesUp);
    }

    /** A session that joins again wants another past than the rest of its earlier one: on one socket the two would mix. */
    void cutShort(Subscriber subscriber) {
        if (leaving.isEmpty()) return;
        List<Membership> earlier = leaving.stream()
                .filter(other -> other.subscriber.equals(subscriber) && other.catchesUp())
                .toList();
        for (Membership membership : earlier) {
            if (!membership.welcomed) welcome(membership, membership.leftAt);
            finish(membership);
        }
        leaving.removeAll(earlier);
    }

    private void goLive(Membership membership) {
        membership.state = Membership.State.LIVE;
        LoopMembers audience = audience(membership.subscriber.lane());
        audience.add(membership);
        membership.audience = audience;
    }

    private LoopMembers audience(EventLoopQueue lane) {
        for (LoopMembers audience : audiences) if (audience.lane.equals(lane)) return audience;
        LoopMembers audience = new LoopMembers(lane);
        audiences.add(audience);
        return audience;
    }

    /**
     * Closes all live members, who would miss something otherwise, and all whose acknowledgement is lost: they resume,
     * and send again.
     */
    void abandon() {
        // Who is still catching up is in no audience.
        unsentAcks.keySet().forEach(membership -> membership.subscriber.close(CloseCode.INTERNAL_ERROR));
        unsent = new ArrayList<>();
        unsentAcks = new LinkedHashMap<>();
        audiences.forEach(LoopMembers::abandon);
        audiences = new ArrayList<>(2);
    }

    int liveMembers() {
        int live = 0;
        for (LoopMembers audience : audiences) live += audience.live();
        return live;
    }

    /** Adds to what the next {@link #flush} hands to all live members. */
    void later(List<RecentMessage> messages, Map<Membership, List<Membership.Ack>> acks) {
        unsent.addAll(messages);
        acks.forEach((membership, more) -> unsentAcks.merge(membership, more, (before, after) -> {
            before.addAll(after);
            return before;
        }));
    }

    boolean hasUnsent() {
        return !unsent.isEmpty() || !unsentAcks.isEmpty();
    }

    /** Hands on what waits. */
    void flush() {
        if (!hasUnsent()) return;
        handOn(this::flush);
    }

    /** Where it fails halfway, what there is goes all the same: its frames are released behind that. */
    private static void handOn(Consumer<FanOut> what) {
        FanOut out = new FanOut();
        try {
            what.accept(out);
        } finally {
            out.submit();
        }
    }

    /** The messages as shared frames, and behind them to each who sent one of them its acknowledgement. */
    void flush(FanOut out) {
        if (!unsent.isEmpty() && liveMembers() > 0) Frames.messages(id, unsent, frame -> share(frame, out));
        unsentAcks.forEach((membership, acks) -> acknowledge(membership, acks, out));
        unsent = new ArrayList<>();
        unsentAcks = new LinkedHashMap<>();
    }

    private void share(ByteBuf frame, FanOut out) {
        try {
            for (LoopMembers audience : audiences) if (audience.live() > 0) out.add(audience, frame);
        } finally {
            frame.release();
        }
    }

    /** Sends messages to one member alone. */
    void sendTo(Membership membership, List<RecentMessage> messages) {
        Frames.messages(id, messages, membership::send);
    }

    /** One frame for all, but what was sent again has its own: a frame has one position. */
    void acknowledge(Membership membership, List<Membership.Ack> acks) {
        handOn(out -> acknowledge(membership, acks, out));
    }

    private void acknowledge(Membership membership, List<Membership.Ack> acks, FanOut out) {
        if (membership.state == Membership.State.JOINING || membership.state == Membership.State.CATCHING_UP) {
            if (membership.deferredAcks.size() + acks.size() > MAX_DEFERRED_ACKS)
                membership.subscriber.closeSlow(SlowCause.ACKNOWLEDGEMENTS);
            else membership.deferredAcks.addAll(acks);
            return;
        }
        EventLoopQueue.Batch batch = out.batch(membership.subscriber.lane());
        List<UUID> ids = new ArrayList<>(acks.size());
        for (int i = 0; i < acks.size(); i++) {
            Membership.Ack ack = acks.get(i);
            ids.add(ack.messageId());
            boolean more = i + 1 < acks.size()
                    && !ack.repeated()
                    && !acks.get(i + 1).repeated()
                    && ids.size() < MAX_IDS_IN_ACK;
            if (more) continue;
            batch.add(membership, Frames.text(ServerFrames.ack(id, ack.position(), ack.timestamp(), ids)));
            ids.clear();
        }
    }

    /** Whether messages of this room are known to be gone with a lost end of the log. */
    boolean hasLost(Epochs.Hole hole) {
        return hole.isLossy() || lost.contains(hole);
    }

    /** A member has said so. */
    void lost(Epochs.Hole hole) {
        if (lost.isEmpty()) lost = new HashSet<>(2);
        lost.add(hole);
    }

    /** Tells those that are up to date that messages may be missing; who is catching up finds out itself. */
    void emitGap(long from, long to) {
        emit(ServerFrames.gap(id, from, to));
    }

    /** Sends a frame to all that are up to date, behind what waits. */
    void emit(byte[] json) {
        flush();
        handOn(out -> share(Frames.text(json), out));
    }

    void sendGap(Membership membership, long from, long to) {
        membership.send(Frames.text(ServerFrames.gap(id, from, to)));
    }

    /** Whether a JOIN can be answered without any look into the past. */
    static boolean startsNow(Membership membership) {
        return switch (membership.since) {
            case Since.Now now -> true;
            case Since.Resume resume -> false;
            case Since.History history -> history.messages() == 0;
        };
    }
}

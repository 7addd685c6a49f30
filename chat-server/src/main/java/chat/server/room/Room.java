package chat.server.room;

import chat.protocol.ClientFrame.Since;
import chat.protocol.CloseCode;
import chat.protocol.RoomId;
import chat.protocol.ServerFrames;
import chat.server.dedup.MessageKey;
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
import reactor.core.publisher.Sinks;

/**
 * One room on this server: its local members, its recent messages, and queued messages and acknowledgements.
 * Confined to the partition's thread.
 */
final class Room {
    private static final int MAX_IDS_IN_ACK = 1_000;

    /**
     * A frame for all live members.
     *
     * @param out collects what the current step of the partition hands to event loops
     */
    record Publication(ByteBuf frame, FanOut out) {}

    private final RoomId id;
    private final RoomSettings settings;
    private final MessageKey.OfRoom key;
    private final RecentMessages recent;
    /** Publishes the frames for all live members to {@link #loops}. It drops none: they request without bound. */
    private Sinks.Many<Publication> sink = newSink();

    /** The subscribers of the sink: one for each event loop that has had members. */
    private List<LoopMembers> loops = new ArrayList<>(2);

    /** Messages queued for the next flush, in log order. {@link #unsentAcks} follow them. */
    private List<RecentMessage> unsent = new ArrayList<>();

    private Map<Membership, List<Membership.Ack>> unsentAcks = new LinkedHashMap<>();

    /** Members that left while they were catching up and still receive the messages before their LEAVE. */
    private final List<Membership> leaving = new ArrayList<>(0);

    /** Lost ends of the log known to contain messages of this room, because a member had received some. */
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

    /** Not synchronized, because a room is confined to one thread. */
    private static Sinks.Many<Publication> newSink() {
        return Sinks.unsafe().many().multicast().directBestEffort();
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

    /** Number of local sessions in the room, each from its JOIN read back to its LEAVE. */
    int memberships() {
        return memberships;
    }

    void admit(Membership membership) {
        membership.admitted();
        memberships++;
    }

    /** Stops counting the member and sending it new messages. Idempotent. */
    void remove(Membership membership) {
        if (membership.uncount()) memberships--;
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
        membership.welcomed();
    }

    /** Makes a member live that has received all earlier messages, unless it has left. */
    void finish(Membership membership) {
        flush(); // the member has received the queued messages already
        if (membership.isCounted()) membership.goLive(loopMembers(membership.subscriber.queue()));
        else membership.left();
        acknowledge(membership, membership.takeDeferredAcks());
        // The history that it received may contain old JOINs and LEAVEs: send the current number of members.
        if (membership.isCounted() && !startsNow(membership))
            membership.send(Frames.text(ServerFrames.members(id, members.getAsInt(), List.of(), List.of(), false)));
    }

    /** Lets a member that has left continue to catch up to its LEAVE. */
    void keepCatchingUp(Membership membership) {
        leaving.add(membership);
    }

    /** Ends the catch-up of a member that has left: it has received everything, or its session has ended. */
    void caughtUp(Membership membership) {
        leaving.remove(membership);
    }

    /** Whether members that have left still receive earlier messages. */
    boolean hasDepartedMembersCatchingUp() {
        return leaving.stream().anyMatch(Membership::catchesUp);
    }

    /** Ends earlier catch-ups of a session that joins again: messages of both would mix on its socket. */
    void endEarlierCatchUp(Subscriber subscriber) {
        if (leaving.isEmpty()) return;
        List<Membership> earlier = leaving.stream()
                .filter(other -> other.subscriber.equals(subscriber) && other.catchesUp())
                .toList();
        for (Membership membership : earlier) {
            if (!membership.isWelcomed()) welcome(membership, membership.leftAt());
            finish(membership);
        }
        leaving.removeAll(earlier);
    }

    private LoopMembers loopMembers(EventLoopQueue queue) {
        for (LoopMembers loopMembers : loops) if (loopMembers.queue.equals(queue)) return loopMembers;
        LoopMembers loopMembers = new LoopMembers(queue);
        sink.asFlux().subscribe(loopMembers);
        loops.add(loopMembers);
        return loopMembers;
    }

    /**
     * Closes all live members, which would miss messages, and members whose acknowledgement is lost. They reconnect,
     * resume and resend.
     */
    void abandon() {
        // A member that is catching up is in no LoopMembers.
        unsentAcks.keySet().forEach(membership -> membership.subscriber.close(CloseCode.INTERNAL_ERROR));
        unsent = new ArrayList<>();
        unsentAcks = new LinkedHashMap<>();
        loops.forEach(LoopMembers::abandon);
        loops = new ArrayList<>(2);
        sink.tryEmitComplete().orThrow();
        sink = newSink();
    }

    int liveMembers() {
        int live = 0;
        for (LoopMembers loopMembers : loops) live += loopMembers.live();
        return live;
    }

    /** Queues messages and acknowledgements for the next {@link #flush}. */
    void queue(List<RecentMessage> messages, Map<Membership, List<Membership.Ack>> acks) {
        unsent.addAll(messages);
        acks.forEach((membership, more) -> unsentAcks.merge(membership, more, (before, after) -> {
            before.addAll(after);
            return before;
        }));
    }

    boolean hasUnsent() {
        return !unsent.isEmpty() || !unsentAcks.isEmpty();
    }

    /** Sends the queue to the members. */
    void flush() {
        if (!hasUnsent()) return;
        submit(this::flush);
    }

    /** Submits the frames even if building them fails halfway, as the event loops release them. */
    private static void submit(Consumer<FanOut> what) {
        FanOut out = new FanOut();
        try {
            what.accept(out);
        } finally {
            out.submit();
        }
    }

    /** Sends queued messages as shared frames, then the acknowledgements to their senders. */
    void flush(FanOut out) {
        if (!unsent.isEmpty() && liveMembers() > 0) Frames.messages(id, unsent, frame -> share(frame, out));
        unsentAcks.forEach((membership, acks) -> acknowledge(membership, acks, out));
        unsent = new ArrayList<>();
        unsentAcks = new LinkedHashMap<>();
    }

    private void share(ByteBuf frame, FanOut out) {
        try {
            if (!loops.isEmpty()) sink.tryEmitNext(new Publication(frame, out)).orThrow();
        } finally {
            frame.release();
        }
    }

    /** Sends messages to one member alone. */
    void sendTo(Membership membership, List<RecentMessage> messages) {
        Frames.messages(id, messages, membership::send);
    }

    /** Sends one ACK frame for all, and one for each resend: a frame has a single position. */
    void acknowledge(Membership membership, List<Membership.Ack> acks) {
        submit(out -> acknowledge(membership, acks, out));
    }

    private void acknowledge(Membership membership, List<Membership.Ack> acks, FanOut out) {
        if (membership.defersAcks()) {
            membership.defer(acks);
            return;
        }
        EventLoopQueue.Batch batch = out.batch(membership.subscriber.queue());
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

    /** Whether the lost end of the log is known to contain messages of this room. */
    boolean hasLost(Epochs.Hole hole) {
        return hole.isLossy() || lost.contains(hole);
    }

    /** Records that a member had received messages of this room from the lost end. */
    void markLost(Epochs.Hole hole) {
        if (lost.isEmpty()) lost = new HashSet<>(2);
        lost.add(hole);
    }

    /** Sends a GAP to live members; members that are catching up find the gap themselves. */
    void emitGap(long from, long to) {
        emit(ServerFrames.gap(id, from, to));
    }

    /** Sends a frame to all live members, after the queue. */
    void emit(byte[] json) {
        flush();
        submit(out -> share(Frames.text(json), out));
    }

    void sendGap(Membership membership, long from, long to) {
        membership.send(Frames.text(ServerFrames.gap(id, from, to)));
    }

    /** Whether a JOIN asks for no earlier messages. */
    static boolean startsNow(Membership membership) {
        return switch (membership.since) {
            case Since.Now now -> true;
            case Since.Resume resume -> false;
            case Since.History history -> history.messages() == 0;
        };
    }
}

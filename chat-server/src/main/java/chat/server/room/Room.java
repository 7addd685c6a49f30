package chat.server.room;

import chat.protocol.ClientFrame.Since;
import chat.protocol.RoomId;
import chat.protocol.ServerFrames;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Sinks;

/**
 * One room on this server: its members here, its last messages, and the sink that carries each frame to all of them.
 * Confined to the partition's thread.
 */
final class Room {
    private final RoomId id;
    private final RoomSettings settings;
    private final RecentMessages recent;
    /** Subscribers take everything at once and only append to an outbox, so there is always demand. */
    private final Sinks.Many<ByteBuf> sink = Sinks.unsafe().many().multicast().directBestEffort();

    private final Map<String, Integer> usersHere = new HashMap<>();
    private int memberships;

    Room(RoomId id, RoomSettings settings, long coversAfter) {
        this.id = id;
        this.settings = settings;
        this.recent = new RecentMessages(settings.recentMessages(), settings.recentBytes(), coversAfter);
    }

    RoomId id() {
        return id;
    }

    RecentMessages recent() {
        return recent;
    }

    /** Sessions, from their JOIN read back to their LEAVE. */
    int memberships() {
        return memberships;
    }

    /** Distinct users on this server. */
    int users() {
        return usersHere.size();
    }

    void admit(Membership membership) {
        memberships++;
        usersHere.merge(membership.member.userId(), 1, Integer::sum);
    }

    /** Takes a session out; once, whatever ends it. */
    void remove(Membership membership) {
        if (membership.state == Membership.State.JOINING || membership.state == Membership.State.LEFT) {
            membership.state = Membership.State.LEFT;
            return;
        }
        membership.state = Membership.State.LEFT;
        memberships--;
        usersHere.computeIfPresent(membership.member.userId(), (user, times) -> times == 1 ? null : times - 1);
        if (membership.subscription != null) membership.subscription.dispose();
        membership.subscription = null;
    }

    void welcome(Membership membership, long position) {
        membership.subscriber.send(Frames.text(ServerFrames.welcome(
                id,
                settings.serverId(),
                position,
                users(),
                settings.pingInterval().toMillis(),
                settings.rules())));
    }

    /** From now on the session gets what the sink carries; then come the ACKs that had to wait for that. */
    void goLive(Membership membership) {
        membership.state = Membership.State.LIVE;
        Subscriber subscriber = membership.subscriber;
        membership.subscription = sink.asFlux().subscribeWith(new BaseSubscriber<ByteBuf>() {
            @Override
            protected void hookOnNext(ByteBuf frame) {
                subscriber.send(frame.retainedDuplicate());
            }
        });
        acknowledge(membership, membership.deferredAcks);
        membership.deferredAcks.clear();
    }

    /** Sends the messages to all live members as shared frames; returns how many members that are. */
    int emit(List<Recent> messages) {
        int live = sink.currentSubscriberCount();
        if (live == 0) return 0;
        Frames.messages(id, messages, frame -> {
            sink.emitNext(frame, Sinks.EmitFailureHandler.FAIL_FAST);
            frame.release();
        });
        return live;
    }

    /** Sends messages to one member alone. */
    void sendTo(Membership membership, List<Recent> messages) {
        Frames.messages(id, messages, membership.subscriber::send);
    }

    void acknowledge(Membership membership, List<Membership.Ack> acks) {
        if (acks.isEmpty()) return;
        if (membership.state == Membership.State.CATCHING_UP) {
            membership.deferredAcks.addAll(acks);
            return;
        }
        List<UUID> ids = new ArrayList<>(acks.size());
        for (Membership.Ack ack : acks) ids.add(ack.messageId());
        Membership.Ack last = acks.getLast();
        membership.subscriber.send(Frames.text(ServerFrames.ack(id, last.position(), last.timestamp(), ids)));
    }

    /** Tells all members, those still catching up too, that messages may be missing. */
    void emitGap(long from, long to) {
        ByteBuf frame = Frames.text(ServerFrames.gap(id, from, to));
        sink.emitNext(frame, Sinks.EmitFailureHandler.FAIL_FAST);
        frame.release();
    }

    void sendGap(Membership membership, long from, long to) {
        membership.subscriber.send(Frames.text(ServerFrames.gap(id, from, to)));
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

package chat.server.room;

import chat.protocol.ClientFrame.Since;
import chat.protocol.CloseCode;
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
    /** Of a session that sends while it catches up; one that has more reads too slowly. */
    private static final int MAX_DEFERRED_ACKS = 10_000;

    private static final int MAX_IDS_IN_ACK = 1_000;

    private final RoomId id;
    private final RoomSettings settings;
    private final RecentMessages recent;
    /** Subscribers take everything at once and only append to an outbox, so there is always demand. */
    private Sinks.Many<ByteBuf> sink = newSink();

    private final Map<String, Integer> usersHere = new HashMap<>();
    private int memberships;

    Room(RoomId id, RoomSettings settings, long coversAfter) {
        this.id = id;
        this.settings = settings;
        this.recent = new RecentMessages(settings.recentMessages(), settings.recentBytes(), coversAfter);
    }

    private static Sinks.Many<ByteBuf> newSink() {
        return Sinks.unsafe().many().multicast().directBestEffort();
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
        membership.counted = true;
        memberships++;
        usersHere.merge(membership.member.userId(), 1, Integer::sum);
    }

    /** Counts it no more and sends it nothing more of what comes; once, whatever ends it. */
    void remove(Membership membership) {
        if (!membership.counted) return;
        membership.counted = false;
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

    /** It has all up to now: it gets what the sink carries from here on, unless it has left in the meantime. */
    void finish(Membership membership) {
        if (membership.counted) goLive(membership);
        else membership.state = Membership.State.LEFT;
        acknowledge(membership, membership.deferredAcks);
        membership.deferredAcks.clear();
    }

    private void goLive(Membership membership) {
        membership.state = Membership.State.LIVE;
        Subscriber subscriber = membership.subscriber;
        membership.subscription = sink.asFlux().subscribeWith(new BaseSubscriber<ByteBuf>() {
            @Override
            protected void hookOnNext(ByteBuf frame) {
                subscriber.send(frame.retainedDuplicate());
            }

            @Override
            protected void hookOnError(Throwable failure) {
                // It would hear nothing more, and not know: let it come back and resume.
                subscriber.close(CloseCode.INTERNAL_ERROR);
            }
        });
    }

    /** Closes all live members, who would miss something otherwise; they resume. */
    void abandon(Throwable failure) {
        Sinks.Many<ByteBuf> broken = sink;
        sink = newSink();
        broken.emitError(failure, Sinks.EmitFailureHandler.FAIL_FAST);
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

    /** One frame for all, but what was sent again has its own: a frame has one position. */
    void acknowledge(Membership membership, List<Membership.Ack> acks) {
        if (membership.state == Membership.State.CATCHING_UP) {
            if (membership.deferredAcks.size() + acks.size() > MAX_DEFERRED_ACKS)
                membership.subscriber.close(CloseCode.SLOW);
            else membership.deferredAcks.addAll(acks);
            return;
        }
        List<UUID> ids = new ArrayList<>(acks.size());
        for (int i = 0; i < acks.size(); i++) {
            Membership.Ack ack = acks.get(i);
            ids.add(ack.messageId());
            boolean more = i + 1 < acks.size()
                    && !ack.repeated()
                    && !acks.get(i + 1).repeated()
                    && ids.size() < MAX_IDS_IN_ACK;
            if (more) continue;
            membership.subscriber.send(Frames.text(ServerFrames.ack(id, ack.position(), ack.timestamp(), ids)));
            ids.clear();
        }
    }

    /** Tells those that are up to date that messages may be missing; who is catching up finds out itself. */
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

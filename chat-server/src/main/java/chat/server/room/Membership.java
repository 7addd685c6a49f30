package chat.server.room;

import chat.protocol.ClientFrame.Since;
import chat.protocol.Member;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One session in one room, from its JOIN on. It goes with each of the session's messages through the log and is confined
 * to the partition's thread, but for what is final.
 */
public final class Membership {
    final RoomId room;
    final Member member;
    final Since since;
    /** Whether it asked to be told up to where its room is stored. */
    final boolean wantsStored;

    final Subscriber subscriber;
    final Refusals refusals;

    State state = State.JOINING;

    /** Who waits for the answer to the JOIN; the answer once there is one. */
    private final AtomicReference<@Nullable Runnable> decision = new AtomicReference<>();

    /** The session's token no longer allows the room, so its socket gets no more frames of it. */
    private volatile boolean forbidden;

    /** Its session is over for the rooms of this server. */
    private volatile boolean over;

    /** The one it belongs to while it is live. */
    @Nullable
    LoopMembers audience;
    /** In that audience; on the event loop of its socket only. */
    int place;
    /** Whether the room counts it: from its JOIN read back to its LEAVE. */
    boolean counted;

    InLog inLog = InLog.NOT_YET;

    boolean welcomed;

    /** What it asked for before its WELCOME. */
    @Nullable
    Runnable whenWelcomed;
    /** Up to where its room is stored, as it was told. */
    long storedTold = -1;
    /** Which of its messages that are not stored it has been told. */
    long lossesTold;

    /** Position of its LEAVE, once that has been read: what it still gets ends there. */
    long leftAt = Long.MAX_VALUE;
    /** What was accepted before it had caught up: told when it has. */
    final List<Ack> deferredAcks = new ArrayList<>(0);

    /** What other servers know of it, as far as this one does. */
    enum InLog {
        NOT_YET,
        JOINED,
        LEFT
    }

    enum State {
        JOINING,
        CATCHING_UP,
        LIVE,
        LEFT
    }

    private enum Decision implements Runnable {
        ADMITTED,
        REFUSED;

        @Override
        public void run() {
            // Nobody waits.
        }
    }

    /** @param repeated whether the message stood in the log before; the position is its first then */
    record Ack(UUID messageId, long position, long timestamp, boolean repeated) {}

    /** Hears of messages that did not get into the log. On the partition's thread. */
    public interface Refusals {
        void joinRefused(Membership membership, @Nullable UUID messageId);

        void textRefused(Membership membership, @Nullable UUID messageId);

        /** The id belongs to another message. A LEAVE has not left; a JOIN has not joined. */
        void conflict(Membership membership, MessageType type, @Nullable UUID messageId);

        /** It is in the room as before. */
        void leaveRefused(Membership membership, @Nullable UUID messageId);
    }

    /** @param wantsStored whether it is to be told up to where its room is stored */
    public Membership(
            RoomId room, Member member, Since since, boolean wantsStored, Subscriber subscriber, Refusals refusals) {
        this.room = room;
        this.member = member;
        this.since = since;
        this.wantsStored = wantsStored;
        this.subscriber = subscriber;
        this.refusals = refusals;
    }

    /**
     * Waits for what becomes of the JOIN. Any thread.
     *
     * @param then called once, on the partition's thread; of several only the first
     * @return false where the JOIN has been answered already, and nothing will be called
     */
    public boolean whenDecided(Runnable then) {
        return !(decision.compareAndExchange(null, then) instanceof Decision);
    }

    /** Whether the JOIN has been read back or refused; any thread. */
    public boolean isDecided() {
        return decision.get() instanceof Decision;
    }

    /** Whether the JOIN did not get into the log; any thread. */
    public boolean isRefused() {
        return decision.get() == Decision.REFUSED;
    }

    /** The JOIN has been read back, or it will never be. */
    void decided(boolean admitted) {
        Decision now = admitted ? Decision.ADMITTED : Decision.REFUSED;
        Runnable waiting = decision.getAndUpdate(before -> before instanceof Decision ? before : now);
        if (waiting != null) waiting.run();
    }

    /** Whether it is still being told the past, and there is somebody to tell. */
    boolean catchesUp() {
        return state == State.CATCHING_UP && subscriber.isOpen() && !forbidden;
    }

    /**
     * From now on nothing of this room is written to its socket, whatever is on its way there. On the event loop of the
     * socket; its LEAVE follows.
     */
    public void forbid() {
        forbidden = true;
    }

    /** Any thread; what is written next is decided on the event loop of the socket. */
    public boolean isForbidden() {
        return forbidden;
    }

    void send(ByteBuf webSocketFrame) {
        subscriber.send(webSocketFrame, this);
    }

    /** No room counts it any more. */
    void end() {
        over = true;
    }

    /** Whether it has been in its room, or refused, and is not any more; any thread. */
    boolean isOver() {
        return over;
    }

    public RoomId room() {
        return room;
    }

    public Member member() {
        return member;
    }
}

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
 * One session in one room, created for its JOIN. Accompanies each of the session's messages through the log. Confined
 * to the partition's thread, except for final and volatile fields and {@link #place}.
 */
public final class Membership {
    /** Acknowledgements deferred for a member that is catching up; beyond it, the member is a slow consumer. */
    private static final int MAX_DEFERRED_ACKS = 10_000;

    final RoomId room;
    final Member member;
    final Since since;
    /** Whether the session asked for STORED frames. */
    final boolean wantsStored;

    final Subscriber subscriber;
    final Refusals refusals;

    private State state = State.JOINING;

    /** The callback that waits for the outcome of the JOIN; then a {@link Decision}. */
    private final AtomicReference<@Nullable Runnable> decision = new AtomicReference<>();

    /** The session's token no longer allows the room: its frames are dropped. */
    private volatile boolean forbidden;

    /** No room of this server counts the session any more. */
    private volatile boolean over;

    /** Set while the member is live. */
    private @Nullable LoopMembers loopMembers;
    /** Index in {@link #loopMembers}; confined to the event loop of the socket. */
    int place;
    /** Whether the room counts the member: from its JOIN read back to its LEAVE. */
    private boolean counted;

    private InLog inLog = InLog.NOT_YET;

    private boolean welcomed;

    /** A request that arrived before the WELCOME and runs after it. */
    private @Nullable Runnable afterWelcome;

    private long leftAt = Long.MAX_VALUE;
    /** Acknowledgements to send when the member has caught up. */
    private List<Ack> deferredAcks = new ArrayList<>(0);

    /** Whether other servers count the member, as far as this server has read the log. */
    private enum InLog {
        NOT_YET,
        JOINED,
        LEFT
    }

    private enum State {
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
            // No callback waits.
        }
    }

    /** @param repeated whether the message is a resend; then the position is that of the first copy */
    record Ack(UUID messageId, long position, long timestamp, boolean repeated) {}

    /** Callbacks for messages that were not published. On the partition's thread. */
    public interface Refusals {
        void joinRefused(Membership membership, @Nullable UUID messageId);

        void textRefused(Membership membership, @Nullable UUID messageId);

        /**
         * The id belongs to another message. After a rejected LEAVE the member stays; after a rejected JOIN it is out.
         */
        void conflict(Membership membership, MessageType type, @Nullable UUID messageId);

        /** The member stays in the room. */
        void leaveRefused(Membership membership, @Nullable UUID messageId);
    }

    /** @param wantsStored whether the session asked for STORED frames */
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
     * Registers a callback for the outcome of the JOIN. Any thread.
     *
     * @param then called once, on the partition's thread; only the first registered callback is called
     * @return false if the outcome is known already; the callback will not be called then
     */
    public boolean whenDecided(Runnable then) {
        return !(decision.compareAndExchange(null, then) instanceof Decision);
    }

    /** Whether the JOIN has been read back or rejected. Any thread. */
    public boolean isDecided() {
        return decision.get() instanceof Decision;
    }

    /** Whether the JOIN was rejected. Any thread. */
    public boolean isRefused() {
        return decision.get() == Decision.REFUSED;
    }

    /** Records the outcome of the JOIN and runs the callback. */
    void decided(boolean admitted) {
        Decision now = admitted ? Decision.ADMITTED : Decision.REFUSED;
        Runnable waiting = decision.getAndUpdate(before -> before instanceof Decision ? before : now);
        if (waiting != null) waiting.run();
    }

    boolean isJoining() {
        return state == State.JOINING;
    }

    boolean isLive() {
        return state == State.LIVE;
    }

    boolean hasLeft() {
        return state == State.LEFT;
    }

    /** Whether the member is catching up and its session is open. */
    boolean catchesUp() {
        return state == State.CATCHING_UP && subscriber.isOpen() && !forbidden;
    }

    /** The JOIN was read back: the room counts the member, which starts to catch up. */
    void admitted() {
        state = State.CATCHING_UP;
        counted = true;
    }

    /** The member has received all earlier messages: the loop's next frames reach it. */
    void goLive(LoopMembers members) {
        state = State.LIVE;
        members.add(this);
        loopMembers = members;
    }

    /** The member receives no further messages. */
    void left() {
        state = State.LEFT;
    }

    /** Whether the room counts the member: from its JOIN read back to its LEAVE. */
    boolean isCounted() {
        return counted;
    }

    /**
     * The room no longer counts the member, and the loop's frames no longer reach it. Returns false if it was so
     * before.
     */
    boolean uncount() {
        if (!counted) return false;
        counted = false;
        if (loopMembers != null) loopMembers.remove(this);
        loopMembers = null;
        return true;
    }

    /** Returns whether the JOIN was read back for the first time. */
    boolean joinRead() {
        if (inLog != InLog.NOT_YET) return false;
        inLog = InLog.JOINED;
        return true;
    }

    /** The LEAVE was read back, or never will be. Returns whether a JOIN was read back before. */
    boolean leaveRead() {
        boolean joined = inLog == InLog.JOINED;
        inLog = InLog.LEFT;
        return joined;
    }

    /** Position of its LEAVE, the last message that it receives; {@link Long#MAX_VALUE} before. */
    long leftAt() {
        return leftAt;
    }

    void leftAt(long position) {
        leftAt = position;
    }

    boolean isWelcomed() {
        return welcomed;
    }

    /** The WELCOME was sent. */
    void welcomed() {
        welcomed = true;
        if (afterWelcome != null) afterWelcome.run();
    }

    /** Runs a request after the WELCOME, which was not sent yet; replaces an earlier request. */
    void afterWelcome(Runnable request) {
        afterWelcome = request;
    }

    /** Whether acknowledgements must wait until the member has caught up. */
    boolean defersAcks() {
        return state == State.JOINING || state == State.CATCHING_UP;
    }

    /**
     * Keeps acknowledgements until the member has caught up; closes the session as a slow consumer beyond the bound.
     */
    void defer(List<Ack> acks) {
        if (deferredAcks.size() + acks.size() > MAX_DEFERRED_ACKS) subscriber.closeSlow(SlowCause.ACKNOWLEDGEMENTS);
        else deferredAcks.addAll(acks);
    }

    List<Ack> takeDeferredAcks() {
        List<Ack> deferred = deferredAcks;
        deferredAcks = new ArrayList<>(0);
        return deferred;
    }

    /**
     * Drops all further frames of this room, including those on their way to the socket. Must be called on the event
     * loop of the socket; a LEAVE follows.
     */
    public void forbid() {
        forbidden = true;
    }

    /** Any thread. Frames are dropped or written on the event loop of the socket. */
    public boolean isForbidden() {
        return forbidden;
    }

    void send(ByteBuf webSocketFrame) {
        subscriber.send(webSocketFrame, this);
    }

    /** Records that no room counts the member any more. */
    void end() {
        over = true;
    }

    /** Whether the member has left its room or its JOIN was rejected. Any thread. */
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

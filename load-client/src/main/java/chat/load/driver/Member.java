package chat.load.driver;

import chat.load.check.MemberHistory;
import chat.load.dialect.Dialect.Feature;
import chat.load.dialect.Frame;
import chat.load.dialect.Identity;
import chat.load.plan.Numbering;
import chat.load.plan.Users;
import chat.load.report.Latencies;
import chat.load.report.Latencies.Metric;
import chat.load.report.TenSecondCounts.Event;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Represents one client in one room: joins, receives all TEXTs of the room, and leaves, while its {@link TextSender}
 * sends. It outlives its client's connections: after a loss it resumes at its position and resends unacknowledged
 * messages. Confined to its room's event loop.
 */
final class Member {
    private enum State {
        /** No JOIN sent on this connection, or no connection. */
        OUT,
        /** JOIN sent, WELCOME not received. */
        JOINING,
        IN,
        /** LEAVE sent and not acknowledged; afterwards it joins again or is gone. */
        LEAVING,
        GONE
    }

    private static final long DEFAULT_RETRY_MILLIS = 500;

    final int user;
    private final Room room;
    private final RunState run;
    private final Client client;
    private final Numbering numbering;
    private final MemberOrder order;
    private final Identity identity;
    private final Random random;
    private final TextSender sender;

    private State state = State.OUT;
    private boolean welcomedOnce;
    private boolean complete;
    private boolean asksToJoin;
    /** How often the server has rejected this JOIN or LEAVE for now. */
    private int refusals;

    private long joinNanos;
    private long position = -1;
    /** Id of the unanswered LEAVE. */
    private @Nullable UUID leaveId;
    /** Whether it leaves before the end of the chat for good. */
    private boolean departs;
    /** Whether it sent its last LEAVE after the end of the chat. */
    private boolean atEnd;
    /**
     * Earlier TEXTs were first sent in an earlier stay: they may have been delivered then, unseen, and will not be
     * delivered again.
     */
    private int firstOfStay;
    /** How often it was welcomed, and over which connection last. */
    private int welcomes;

    private int epoch;

    Member(Room room, Client client, int user, MemberOrder order) {
        this.room = room;
        this.run = room.run;
        this.client = client;
        this.user = user;
        this.order = order;
        this.numbering = run.plan.numbering();
        Users users = run.plan.users();
        this.identity = new Identity(room.roomId, users.id(room.index, user), users.name(room.index, user));
        this.random = new Random(run.plan.seed() + (long) user * numbering.rooms() + room.index);
        this.sender = new TextSender(this, room, client, random);
    }

    boolean isGuest() {
        return user >= numbering.users();
    }

    /** Whether it has joined and may send. */
    boolean isIn() {
        return state == State.IN;
    }

    Identity identity() {
        return identity;
    }

    // Joining and leaving.

    void join() {
        if (state == State.GONE) return;
        boolean resumes = order.isInStay() && run.has(Feature.RESUME);
        state = State.JOINING;
        // A JOIN that is sent again is the same JOIN.
        if (!asksToJoin) run.counters.joins.increment();
        asksToJoin = true;
        joinNanos = System.nanoTime();
        client.write(out -> run.dialect.join(out, identity, resumes ? position : -1), 0);
    }

    void welcome(Frame frame) {
        if (state != State.JOINING) {
            violation("was welcomed without having asked");
            return;
        }
        long now = System.nanoTime();
        state = State.IN;
        asksToJoin = false;
        refusals = 0;
        Latencies latencies = room.loop.latencies();
        latencies.record(Metric.WELCOME, now - joinNanos);
        room.loop.log("JOIN", now - joinNanos, 200, room.roomId);
        if (frame.messagesPerSecond() >= 0) run.announcedRate = frame.messagesPerSecond();
        client.welcomed(frame);
        welcomes++;
        boolean sameConnection = epoch == client.epoch();
        epoch = client.epoch();
        if (!order.isInStay()) {
            order.begin(frame.position(), !welcomedOnce && !room.started() && !isGuest());
            room.joinedAt(frame.position());
            position = frame.position();
            firstOfStay = sender.sent();
        } else if (run.has(Feature.RESUME) && frame.position() != position) {
            violation("asked to resume at " + position + " and was welcomed at " + frame.position());
        }
        if (!welcomedOnce) {
            welcomedOnce = true;
            latencies.record(Metric.CONNECT, now - run.startNanos - client.arrivedNanos());
            run.counters.joined.increment();
            run.joined.countDown();
            if (isGuest()) run.visitorsWelcomed.countDown();
            if (room.started()) sender.begin();
            return;
        }
        run.counters.rejoined.increment();
        sender.sendAgain(!sameConnection);
        sender.send();
    }

    /** The connection ended. */
    void lost() {
        if (state == State.GONE) return;
        // It is unknown whether the member has left, but the next JOIN begins a new stay anyway.
        if (state == State.LEAVING && !atEnd) order.end(position);
        leaveId = null;
        state = State.OUT;
    }

    void sendLeave() {
        if (state != State.LEAVING) run.counters.leaves.increment();
        state = State.LEAVING;
        UUID id = run.ids.foreign(random.nextLong(), run.elapsedNanos() / 1_000_000);
        leaveId = id;
        joinNanos = System.nanoTime();
        client.write(out -> run.dialect.leave(out, identity, id), 0);
    }

    private void leftAt(long at) {
        run.counters.left.increment();
        refusals = 0;
        room.loop.log("LEAVE", System.nanoTime() - joinNanos, 200, room.roomId);
        leaveId = null;
        if (atEnd) {
            state = State.GONE;
            client.memberLeft();
            return;
        }
        // Delivery is in order: everything before the LEAVE had to arrive first.
        order.end(at < 0 ? position : at);
        if (departs) {
            leave(true);
            client.memberLeft();
            return;
        }
        run.counters.departed.increment();
        state = State.OUT;
        join();
    }

    /** Whether the ACK of a LEAVE contains its position: then the member waits for the ACK. */
    private boolean awaitsAckOfLeave() {
        return run.has(Feature.LEAVE) && run.has(Feature.POSITIONS);
    }

    /** Leaves after the end of the chat; its stay includes everything until the end of the run. */
    void leaveAtEnd() {
        atEnd = state == State.IN && awaitsAckOfLeave();
        if (atEnd) sendLeave();
        else leave(false);
    }

    /**
     * Leaves before the end of the chat. If the ACK contains the LEAVE's position, the member waits for it and keeps
     * receiving: only that position defines what it has to receive.
     */
    void depart() {
        departs = true;
        if (state == State.IN && awaitsAckOfLeave()) sendLeave();
        else if (state != State.LEAVING) leave(true);
    }

    /** The client stops waiting for the ACK of the LEAVE. */
    void giveUp(long waitedNanos) {
        // A LEAVE that was rejected for now has been answered.
        if (state == State.LEAVING && leaveId != null)
            violation("received no ACK of its LEAVE within " + TimeUnit.NANOSECONDS.toMillis(waitedNanos) + " ms");
    }

    boolean isGone() {
        return state == State.GONE;
    }

    /**
     * Leaves without waiting for an ACK.
     *
     * @param early before the end of the chat: later messages are then not expected
     */
    void leave(boolean early) {
        if (state == State.GONE) return;
        if ((early && !atEnd) || departs) order.end(position);
        if (state == State.IN && run.has(Feature.LEAVE)) {
            sendLeave();
            if (!awaitsAckOfLeave()) run.counters.left.increment();
        }
        state = State.GONE;
        if (isGuest() && !welcomedOnce) run.neverWelcomed.add(toString());
        if (!early) return;
        sender.finish();
        sender.abandon();
        if (!complete && !isGuest()) {
            complete = true;
            room.memberComplete();
        }
    }

    // Sending.

    /** The chat begins. */
    void start() {
        if (isGuest()) return;
        if (welcomedOnce) sender.begin();
        if (numbering.messages() == 0) sender.finish();
    }

    /** Stops sending new messages. */
    void finishSending() {
        sender.finish();
    }

    /** Whether all its messages are done, and its JOIN is answered. */
    boolean isIdle() {
        return sender.isIdle() && state != State.JOINING;
    }

    // Receiving.

    void messages(Batch batch) {
        if (state == State.GONE) return;
        if (batch.position() >= 0) {
            if (batch.position() <= position)
                violation("received a frame at " + batch.position() + " after one at " + position);
            position = batch.position();
        }
        int[] numbers = batch.numbers();
        run.counters.frames.increment();
        run.counters.deliveries.add(numbers.length);
        run.count(room.loop, Event.DELIVERED, numbers.length, client.lastFrameNanos() - run.startNanos);
        run.counters.newDeliveries.add(order.receive(numbers));
        room.received(batch);
        // One clock reading for all: they arrived in one frame.
        long now = client.lastFrameNanos() - run.startNanos;
        Latencies latencies = room.loop.latencies();
        long[] sentNanos = batch.sentNanos();
        int mine = numbering.inRoom(user, 0);
        int others = isGuest() ? mine : mine + numbering.messages();
        for (int i = 0; i < numbers.length; i++) {
            int number = numbers[i];
            if (number >= mine && number < others) {
                latencies.own(now - sentNanos[i]);
                sender.returned(number);
                if (!run.has(Feature.ACKS)) sender.acked(number);
            } else if (!client.misbehaves()) {
                latencies.others(now - sentNanos[i]);
            }
        }
        sender.send();
        checkComplete();
    }

    void ack(Frame frame) {
        UUID leaving = leaveId;
        for (int i = 0; i < frame.idCount(); i++) {
            int number = room.ids.number(frame.idHigh(i), frame.idLow(i));
            if (number >= 0) {
                answered(number, frame.idCount() == 1 ? frame.position() : -1);
            } else if (leaving != null
                    && leaving.getMostSignificantBits() == frame.idHigh(i)
                    && leaving.getLeastSignificantBits() == frame.idLow(i)) {
                leftAt(frame.position());
            }
        }
        if (frame.number() >= 0) answered(frame.number(), frame.position());
        sender.send();
        checkComplete();
    }

    private void answered(int number, long at) {
        if (number >= numbering.perRoom() || numbering.userOf(number) != user) {
            violation("received the ACK of another's TEXT");
            return;
        }
        if (run.has(Feature.POSITIONS) && !room.texts.wasResent(number) && !room.texts.wasReturned(number))
            violation("received the ACK of TEXT " + numbering.sequenceOf(number) + " before the TEXT");
        if (at > 0) room.texts.announce(number, at);
        // The TEXT may lie in the gap or before this stay: then it will not be delivered.
        if (order.hasGap() || numbering.sequenceOf(number) < firstOfStay) sender.returned(number);
        sender.acked(number);
    }

    void error(Frame frame) {
        int number = frame.idCount() == 1 ? room.ids.number(frame.idHigh(0), frame.idLow(0)) : -1;
        if (frame.number() >= 0) number = frame.number();
        if (number >= 0 && number < numbering.perRoom() && numbering.userOf(number) == user) {
            sender.refused(number, frame);
        } else if (leaveId != null
                && frame.idCount() == 1
                && leaveId.equals(new UUID(frame.idHigh(0), frame.idLow(0)))) {
            leaveId = null;
            if (frame.retryable()) retryLater(frame, refusals++, State.LEAVING, this::sendLeave);
            else run.fail(this + " was refused to leave: " + frame.code() + " " + frame.errors());
        } else if (state == State.JOINING && frame.retryable()) {
            retryLater(frame, refusals++, State.JOINING, this::join);
        } else if (state == State.JOINING) {
            run.fail(this + " was refused to join: " + frame.code() + " " + frame.errors());
        } else {
            violation("received " + frame.code() + " " + frame.errors());
        }
    }

    /** Repeats the task after a wait if the member is still in the room, in the same stay. */
    void retryText(Frame frame, int attempt, Runnable task) {
        retryLater(frame, attempt, State.IN, task);
    }

    /**
     * Repeats the task after a wait if connection, state and stay are unchanged; otherwise the change already handled
     * it.
     */
    private void retryLater(Frame frame, int attempt, State required, Runnable task) {
        run.counters.retries.increment();
        long requested = frame.retryAfterMs() < 0 ? DEFAULT_RETRY_MILLIS : frame.retryAfterMs();
        long millis = Math.max(requested, run.backoff.delayMillis(attempt, random.nextDouble()));
        int asked = client.epoch();
        int stay = welcomes;
        room.loop.after(TimeUnit.MILLISECONDS.toNanos(millis), () -> {
            if (client.epoch() != asked || welcomes != stay || state != required) return;
            task.run();
            client.flush();
        });
    }

    void gap(long from, long to) {
        run.counters.gaps.increment();
        order.gap(from, to);
        position = Math.max(position, to);
        sender.skipAnswered();
        sender.send();
        checkComplete();
    }

    /**
     * Checks whether the member has received everything. With positions, reaching the last position is enough; the
     * checker finds missing messages before it. Without positions, a member that was absent cannot know what to
     * expect. A member that leaves before the end is complete after it has left.
     */
    void checkComplete() {
        if (complete || isGuest() || client.departs() || !room.settled()) return;
        boolean received = run.has(Feature.POSITIONS)
                ? position >= room.lastPosition()
                : !order.isWhole() || order.distinct() >= room.texts.expected();
        if (!received || state == State.LEAVING || (state != State.GONE && !welcomedOnce)) return;
        complete = true;
        room.memberComplete();
    }

    MemberHistory history() {
        return order.history();
    }

    private void violation(String what) {
        run.violations.add(this + " " + what);
    }

    @Override
    public String toString() {
        return (isGuest() ? "guest " : "user ") + user + " in " + room.roomId;
    }
}

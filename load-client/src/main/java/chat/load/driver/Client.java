package chat.load.driver;

import chat.load.dialect.Frame;
import chat.load.plan.Arrivals;
import chat.load.plan.Guests;
import chat.load.plan.Plan;
import chat.protocol.RoomId;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Manages one connection and the rooms on it: connects when due, continues with the next server after a loss, and
 * leaves when due. Confined to its group's event loop.
 */
final class Client implements ChatSocket.Listener {
    private enum State {
        /** Not connected yet, or waiting to reconnect. */
        DISCONNECTED,
        CONNECTING,
        /** Upgraded; the server has not sent READY. */
        UPGRADED,
        OPEN,
        /** LEAVEs were sent and not all are acknowledged. */
        LEAVING,
        GONE
    }

    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long IDLE_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** How long a client waits for the answer to its LEAVE, and before it for answers to its messages if it leaves early. */
    static final long LAST_ANSWERS_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int MAX_OVERHEAD = 384;

    private final Group group;
    private final RunState run;
    private final Loop loop;
    private final Guests.Kind kind;
    /** Index among the members' clients, or among the guests. */
    private final int number;

    private final List<Member> members;
    private final ReconnectDelay reconnectDelay;
    private final FrameDispatcher frames;
    private final MisbehaviourProbe misbehaviour;

    private State state = State.DISCONNECTED;
    private @Nullable ChatSocket socket;
    private int url;
    private int epoch;
    /** The upgrade is complete and the connection has not ended. */
    private boolean up;

    private boolean welcomedOnce;
    private boolean leftCounted;
    private long arrivedNanos;
    private long lastFrameNanos;
    private long silenceNanos = TimeUnit.SECONDS.toNanos(25) + GRACE_NANOS;

    /** Whether it leaves before the end by itself. */
    private boolean departs;

    private boolean chatBegan;

    Client(Group group, int user, Guests.Kind kind, int number) {
        this.group = group;
        this.run = group.run;
        this.loop = group.loop;
        this.kind = kind;
        this.number = number;
        this.url = run.plan
                .placement()
                .first(
                        group.index,
                        user,
                        new RoomId(group.rooms.getFirst().roomId),
                        run.plan.partitions(),
                        run.sockets.urls());
        this.reconnectDelay = new ReconnectDelay(
                run.backoff, new Random(run.plan.seed() + (long) user * run.plan.groups() + group.index));
        this.members = new ArrayList<>(group.rooms.size());
        for (Room room : group.rooms) members.add(room.newMember(this, user));
        this.frames = new FrameDispatcher(this, group, members);
        this.misbehaviour = new MisbehaviourProbe(this, run, loop);
    }

    // Arrivals and departures.

    /** Schedules the client's arrival; visitors arrive after the chat has begun. */
    void arrive() {
        if (kind == Guests.Kind.VISITORS) return;
        Arrivals arrivals = run.plan.arrivals();
        int index = kind == Guests.Kind.NONE ? number : run.plan.clients() + number;
        long due = arrivals.arrivesNanos(index);
        if (due == Arrivals.NEVER) {
            gone();
            return;
        }
        arriveAt(run.connectNanos() + due);
        long end = arrivals.leavesNanos(index);
        departs = end != Arrivals.NEVER;
        if (departs) loop.after(run.connectNanos() + end - run.elapsedNanos(), this::depart);
    }

    private void arriveAt(long dueNanos) {
        arrivedNanos = dueNanos;
        loop.after(dueNanos - run.elapsedNanos(), this::connect);
    }

    void beginChat() {
        chatBegan = true;
        switch (kind) {
            case VISITORS -> arriveAt(run.elapsedNanos() + run.plan.guests().arrivesNanos(number));
            case SLOW_READERS -> stopReading();
            case SILENT, NONE -> {}
        }
    }

    /** Leaves before the end, after its messages are answered. */
    private void depart() {
        for (Member member : members) member.finishSending();
        depart(run.elapsedNanos() + patienceNanos());
    }

    /** At most half the plan's timeout: the run must not look stalled while a client waits. */
    private long patienceNanos() {
        return patienceNanos(run.plan);
    }

    static long patienceNanos(Plan plan) {
        return Math.min(LAST_ANSWERS_NANOS, plan.timeout().toNanos() / 2);
    }

    private void depart(long deadlineNanos) {
        if (state == State.GONE) return;
        boolean idle = members.stream().allMatch(Member::isIdle);
        if (!idle && run.elapsedNanos() < deadlineNanos) {
            loop.after(IDLE_CHECK_NANOS, () -> depart(deadlineNanos));
            return;
        }
        run.counters.departed.increment();
        state = State.LEAVING;
        for (Member member : members) member.depart();
        flush();
        memberLeft();
        if (state == State.LEAVING) loop.after(patienceNanos(), this::giveUp);
    }

    /** One of its members has left, possibly the last. */
    void memberLeft() {
        if (members.stream().allMatch(Member::isGone)) endConnection(true);
    }

    private void giveUp() {
        if (state != State.LEAVING) return;
        for (Member member : members) member.giveUp(patienceNanos());
        endConnection(true);
    }

    /** The chat is over. */
    void leave() {
        if (state == State.GONE || state == State.LEAVING) return;
        if (state != State.OPEN || misbehaves()) {
            endConnection(false);
            return;
        }
        state = State.LEAVING;
        for (Member member : members) member.leaveAtEnd();
        flush();
        memberLeft();
        if (state == State.LEAVING) loop.after(patienceNanos(), this::giveUp);
    }

    /** The chat was aborted. */
    void abort() {
        if (state != State.GONE) endConnection(false);
    }

    private void endConnection(boolean early) {
        for (Member member : members) member.leave(early);
        ChatSocket open = socket;
        if (open == null) {
            gone();
            return;
        }
        state = State.GONE;
        open.close();
    }

    private void gone() {
        state = State.GONE;
        for (Member member : members) member.leave(true);
        if (leftCounted) return;
        leftCounted = true;
        run.left.countDown();
    }

    // Connection.

    private void connect() {
        if (state != State.DISCONNECTED) return;
        state = State.CONNECTING;
        run.counters.attempts.increment();
        socket = run.sockets.open(
                loop.events,
                url,
                run.dialect.path(group.rooms.getFirst().roomId),
                run.dialect,
                run.dialect.token(members.getFirst().identity()),
                kind == Guests.Kind.SLOW_READERS,
                kind != Guests.Kind.SILENT,
                this);
    }

    @Override
    public void opened() {
        run.counters.connected.increment();
        run.counters.opened.increment();
        up = true;
        if (state == State.GONE) return;
        lastFrameNanos = System.nanoTime();
        state = State.UPGRADED;
        write(run.dialect::hello, 0);
        if (!run.dialect.greets()) ready();
        flush();
    }

    /** The server accepts JOINs. */
    void ready() {
        if (state != State.UPGRADED) return;
        state = State.OPEN;
        for (Member member : members) member.join();
    }

    /** One of its members has joined its room. */
    void welcomed(Frame frame) {
        reconnectDelay.welcomed(System.nanoTime());
        if (frame.pingIntervalMs() > 0)
            silenceNanos = TimeUnit.MILLISECONDS.toNanos(frame.pingIntervalMs()) + GRACE_NANOS;
        // The client was disconnected when the chat began.
        if (kind == Guests.Kind.SLOW_READERS && chatBegan && !misbehaves()) stopReading();
        if (welcomedOnce) return;
        welcomedOnce = true;
        switch (kind) {
            case VISITORS -> loop.after(run.plan.guests().stay().toNanos(), this::depart);
            case SILENT -> misbehaviour.staySilent();
            case SLOW_READERS, NONE -> {}
        }
    }

    @Override
    public void ended(Ending ending) {
        if (up) run.counters.connected.decrement();
        up = false;
        socket = null;
        epoch++;
        frames.dropRest();
        if (state == State.GONE) {
            gone();
            return;
        }
        if (misbehaves()) {
            misbehaviour.recordResult(ending);
            gone();
            return;
        }
        for (Member member : members) member.lost();
        if (ending.isFinal()) {
            run.fail(name() + " lost its connection to " + run.sockets.url(url) + " for good: " + ending);
            state = State.DISCONNECTED;
            return;
        }
        if (state == State.LEAVING) {
            gone();
            return;
        }
        (welcomedOnce ? run.counters.reconnects : run.counters.failedConnects).increment();
        state = State.DISCONNECTED;
        url = (url + 1) % run.sockets.urls();
        loop.after(TimeUnit.MILLISECONDS.toNanos(reconnectDelay.millisAfter(ending, System.nanoTime())), this::connect);
    }

    /** Closes a connection without traffic: a server that sends pings is never silent for long. */
    void watch() {
        ChatSocket open = socket;
        if (open != null
                && !misbehaves()
                && (state == State.UPGRADED || state == State.OPEN)
                && System.nanoTime() - lastFrameNanos > silenceNanos)
            open.fail(Ending.abnormal("the server went silent"));
    }

    private void stopReading() {
        ChatSocket open = socket;
        if (open != null && state == State.OPEN) misbehaviour.stopReading(open);
    }

    // Frames.

    /** The current connection; null if there is none. */
    @Nullable
    ChatSocket socket() {
        return socket;
    }

    /** Describes the client for users. */
    String name() {
        return members.getFirst().toString();
    }

    /** Whether its observations say nothing about the servers, because it misbehaves. */
    boolean misbehaves() {
        return misbehaviour.hasBegun();
    }

    boolean departs() {
        return departs;
    }

    int epoch() {
        return epoch;
    }

    long lastFrameNanos() {
        return lastFrameNanos;
    }

    /** Planned connect time, after the run's beginning. */
    long arrivedNanos() {
        return arrivedNanos;
    }

    void write(Consumer<ByteBuf> writer, int length) {
        ChatSocket open = socket;
        if (open == null) return;
        ByteBuf out = open.buffer(length + MAX_OVERHEAD);
        writer.accept(out);
        if (out.isReadable()) open.write(out);
        else out.release();
    }

    void flush() {
        ChatSocket open = socket;
        if (open != null) open.flush();
    }

    @Override
    public void controlFrame() {
        lastFrameNanos = System.nanoTime();
    }

    @Override
    public void frame(ByteBuf payload) {
        if (state == State.GONE) return;
        lastFrameNanos = System.nanoTime();
        frames.receive(payload);
    }

    void violation(String what) {
        run.violations.add(name() + " " + what);
    }
}

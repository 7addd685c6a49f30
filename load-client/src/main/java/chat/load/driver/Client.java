package chat.load.driver;

import chat.load.dialect.Frame;
import chat.load.dialect.FrameReader.Malformed;
import chat.load.plan.Arrivals;
import chat.load.plan.Guests;
import chat.protocol.RoomId;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
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
        APART,
        CONNECTING,
        /** Upgraded; the server has not sent READY. */
        GREETING,
        OPEN,
        /** LEAVEs were sent and not all are acknowledged. */
        LEAVING,
        GONE
    }

    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long IDLE_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** How long a client that leaves early waits for answers to its messages, and then for the answer to its LEAVE. */
    static final long LAST_ANSWERS_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** How long a slow reader reads what was in transit, after it resumes reading, before the connection ends. */
    static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final int MAX_OVERHEAD = 384;

    private final Group group;
    private final RunState run;
    private final Loop loop;
    private final Guests.Kind kind;
    /** Index among the members' clients, or among the guests. */
    private final int number;

    private final List<Member> members;
    private final ReconnectDelay reconnectDelay;

    private State state = State.APART;
    private @Nullable ChatSocket socket;
    private int url;
    private int epoch;
    /** The upgrade is complete and the connection has not ended. */
    private boolean up;

    private boolean welcomedOnce;
    private boolean leftCounted;
    private long arrivedNanos;
    private long heardNanos;
    private long silenceNanos = TimeUnit.SECONDS.toNanos(25) + GRACE_NANOS;
    /** The beginning of an incomplete unit. */
    private @Nullable ByteBuf rest;

    /** Whether it leaves before the end by itself. */
    private boolean departs;

    private boolean chatBegan;
    private boolean misbehaves;
    private boolean judged;
    private long misbehavesSinceNanos;

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
    }

    // Arrivals and departures.

    /** Schedules the client's arrival; visitors arrive after the chat has begun. */
    void arrive() {
        if (kind == Guests.Kind.VISITORS) return;
        Arrivals arrivals = run.plan.arrivals();
        int place = kind == Guests.Kind.NONE ? number : run.plan.clients() + number;
        long due = arrivals.arrivesNanos(place);
        if (due == Arrivals.NEVER) {
            gone();
            return;
        }
        arriveAt(run.connectNanos() + due);
        long end = arrivals.leavesNanos(place);
        departs = end != Arrivals.NEVER;
        if (departs) loop.after(run.connectNanos() + end - run.elapsedNanos(), this::depart);
    }

    private void arriveAt(long dueNanos) {
        arrivedNanos = dueNanos;
        loop.after(dueNanos - run.elapsedNanos(), this::connect);
    }

    void chatBegins() {
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
        return Math.min(LAST_ANSWERS_NANOS, run.plan.timeout().toNanos() / 2);
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
        hasLeft();
        if (state == State.LEAVING) loop.after(patienceNanos(), this::giveUp);
    }

    /** One of its members has left, possibly the last. */
    void hasLeft() {
        if (members.stream().allMatch(Member::isGone)) goodbye(true);
    }

    private void giveUp() {
        if (state != State.LEAVING) return;
        for (Member member : members) member.giveUp(patienceNanos());
        goodbye(true);
    }

    /** The chat is over. */
    void leave() {
        if (state != State.GONE) goodbye(false);
    }

    private void goodbye(boolean early) {
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
        if (state != State.APART) return;
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
        up = true;
        if (state == State.GONE) return;
        heardNanos = System.nanoTime();
        state = State.GREETING;
        write(run.dialect::hello, 0);
        if (!run.dialect.greets()) ready();
        flush();
    }

    private void ready() {
        if (state != State.GREETING) return;
        state = State.OPEN;
        for (Member member : members) member.join();
    }

    /** One of its members has joined its room. */
    void welcomed(Frame frame) {
        reconnectDelay.welcomed(System.nanoTime());
        if (frame.pingIntervalMs() > 0)
            silenceNanos = TimeUnit.MILLISECONDS.toNanos(frame.pingIntervalMs()) + GRACE_NANOS;
        // The client was disconnected when the chat began.
        if (kind == Guests.Kind.SLOW_READERS && chatBegan && !misbehaves) stopReading();
        if (welcomedOnce) return;
        welcomedOnce = true;
        switch (kind) {
            case VISITORS -> loop.after(run.plan.guests().stay().toNanos(), this::depart);
            case SILENT -> misbehave(this::closeUnclosed);
            case SLOW_READERS, NONE -> {}
        }
    }

    @Override
    public void ended(Ending ending) {
        if (up) run.counters.connected.decrement();
        up = false;
        socket = null;
        epoch++;
        dropRest();
        if (state == State.GONE) {
            gone();
            return;
        }
        if (misbehaves) {
            judge(ending);
            gone();
            return;
        }
        for (Member member : members) member.lost();
        if (ending.isFinal()) {
            run.fail(members.getFirst() + " lost its connection to " + run.sockets.url(url) + " for good: " + ending);
            state = State.APART;
            return;
        }
        if (state == State.LEAVING) {
            gone();
            return;
        }
        (welcomedOnce ? run.counters.reconnects : run.counters.failedConnects).increment();
        state = State.APART;
        url = (url + 1) % run.sockets.urls();
        loop.after(TimeUnit.MILLISECONDS.toNanos(reconnectDelay.millisAfter(ending, System.nanoTime())), this::connect);
    }

    /** Closes a connection without traffic: a server that sends pings is never silent for long. */
    void watch() {
        ChatSocket open = socket;
        if (open != null
                && !misbehaves
                && (state == State.GREETING || state == State.OPEN)
                && System.nanoTime() - heardNanos > silenceNanos) open.fail(Ending.abnormal("the server went silent"));
    }

    // Misbehaviour.

    private void stopReading() {
        ChatSocket open = socket;
        if (open == null || state != State.OPEN) return;
        open.stopReading();
        misbehave(() -> readOn(open));
        look(open);
    }

    /** Checks periodically whether the server has closed the connection that is not being read. */
    private void look(ChatSocket stalled) {
        if (judged || socket != stalled) return;
        if (stalled.hasEndedUnread()) {
            judge(Ending.abnormal("ended by the server"));
            stalled.fail(Ending.abnormal("the server has ended it"));
        } else {
            loop.after(LOOK_NANOS, () -> look(stalled));
        }
    }

    /** Resumes reading: the close may be queued behind unread data. */
    private void readOn(ChatSocket stalled) {
        if (judged || socket != stalled) return;
        stalled.readOn();
        loop.after(DRAIN_NANOS, this::closeUnclosed);
    }

    private void closeUnclosed() {
        if (judged) return;
        judge(null);
        ChatSocket open = socket;
        if (open != null) open.fail(Ending.abnormal("given up"));
    }

    private void misbehave(Runnable deadline) {
        misbehaves = true;
        misbehavesSinceNanos = System.nanoTime();
        loop.after(run.plan.guests().within().toNanos(), deadline);
    }

    private void judge(@Nullable Ending ending) {
        if (judged) return;
        judged = true;
        run.misbehaved.add(new Misbehaviour(
                members.getFirst().toString(), (System.nanoTime() - misbehavesSinceNanos) / 1e9, ending));
        run.misbehaving.countDown();
    }

    // Frames.

    /** Whether its observations say nothing about the servers, because it misbehaves. */
    boolean misbehaves() {
        return misbehaves;
    }

    boolean departs() {
        return departs;
    }

    int epoch() {
        return epoch;
    }

    long heardNanos() {
        return heardNanos;
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
    public void heard() {
        heardNanos = System.nanoTime();
    }

    @Override
    public void frame(ByteBuf payload) {
        if (state == State.GONE) return;
        heardNanos = System.nanoTime();
        ByteBuf kept = rest;
        try {
            if (kept == null) {
                units(payload);
                if (payload.isReadable())
                    rest = payload.alloc()
                            .directBuffer(2 * payload.readableBytes() + 64)
                            .writeBytes(payload);
            } else {
                kept.writeBytes(payload);
                units(kept);
                if (!kept.isReadable()) dropRest();
                else kept.discardSomeReadBytes();
            }
        } catch (Malformed malformed) {
            violation("received a frame that can't be read: " + malformed.getMessage());
            dropRest();
        }
    }

    private void dropRest() {
        if (rest != null) rest.release();
        rest = null;
    }

    private void units(ByteBuf in) throws Malformed {
        while (in.isReadable()) {
            int length = loop.reader.unit(in);
            if (length <= 0) return;
            int from = in.readerIndex();
            unit(in, from, length);
            // Must stay here: the reader index marked the beginning of the unit for the reader.
            in.readerIndex(from + length);
        }
    }

    private void unit(ByteBuf in, int from, int length) throws Malformed {
        ByteBuffer bytes = in.internalNioBuffer(from, length);
        int hash = 0;
        boolean shared = loop.reader.isShared(in);
        if (shared) {
            hash = FrameCache.hash(bytes);
            Batch known = loop.cache.find(bytes, hash);
            if (known != null) {
                run.counters.copies.increment();
                messages(known);
                return;
            }
        }
        byte[] unit = loop.scratch(length);
        in.getBytes(from, unit, 0, length);
        Frame frame = loop.reader.read(unit, length);
        byte[] reply = frame.reply();
        if (reply != null) write(out -> out.writeBytes(reply), reply.length);
        switch (frame.type()) {
            case READY -> ready();
            case OTHER -> {
                // Newer servers may send other types.
            }
            case WELCOME, MESSAGES, ACK, ERROR, GAP -> {
                Member member = addressed(frame);
                if (member == null) violation("received a frame of another room");
                else if (frame.type() == Frame.Type.MESSAGES) messages(frame, unit, length, hash, shared);
                else if (!member.isGone()) tell(member, frame);
            }
        }
    }

    private void messages(Frame frame, byte[] unit, int length, int hash, boolean shared) {
        for (Room room : group.rooms) {
            if (!room.isNamedBy(frame)) continue;
            Batch batch = room.batch(frame, unit, length, hash);
            if (shared) loop.cache.add(batch);
            messages(batch);
            return;
        }
    }

    private void messages(Batch batch) {
        if (batch.room().group == group) members.get(batch.room().slot).messages(batch);
        else violation("received a frame of another room");
    }

    private static void tell(Member member, Frame frame) {
        switch (frame.type()) {
            case WELCOME -> member.welcome(frame);
            case ACK -> member.ack(frame);
            case ERROR -> member.error(frame);
            case GAP -> member.gap(frame.from(), frame.to());
            case READY, MESSAGES, OTHER -> throw new IllegalArgumentException("not for a member: " + frame.type());
        }
    }

    private @Nullable Member addressed(Frame frame) {
        for (Room room : group.rooms) {
            if (room.isNamedBy(frame)) return members.get(room.slot);
        }
        return null;
    }

    private void violation(String what) {
        run.violations.add(members.getFirst() + " " + what);
    }
}

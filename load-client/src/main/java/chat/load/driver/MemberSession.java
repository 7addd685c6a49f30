package chat.load.driver;

import chat.load.check.MemberHistory;
import chat.load.plan.Numbering;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One member of one room: connects, joins, sends its TEXTs, receives everybody's, and leaves. It outlives its
 * connections: after a loss it goes to the next server, resumes where it was, and sends again what was not acknowledged.
 * Confined to its room's event loop.
 */
final class MemberSession implements ChatSocket.Listener {
    private enum State {
        /** Not connected yet, or waiting to connect again. */
        APART,
        CONNECTING,
        /** JOIN sent, WELCOME not received. */
        JOINING,
        JOINED,
        LEFT
    }

    private static final long STABLE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long DEFAULT_RETRY_MILLIS = 500;
    private static final int MAX_JSON_OVERHEAD = 256;

    final int user;
    private final RoomSession room;
    private final RunState run;
    private final Numbering numbering;
    private final MemberOrder order;
    private final Random random;
    private final String identity;

    private State state = State.APART;
    private @Nullable ChatSocket socket;
    private int url;
    private int attempt;
    /** Counts connections: what was scheduled for an earlier one does nothing. */
    private int epoch;

    private boolean welcomedOnce;
    private long joinNanos;
    private long welcomeNanos;
    private long heardNanos;
    private long silenceNanos = TimeUnit.SECONDS.toNanos(25) + GRACE_NANOS;
    private long position;

    private int next;
    private int done;
    private boolean complete;

    MemberSession(RoomSession room, int user) {
        this.room = room;
        this.user = user;
        this.run = room.run;
        this.numbering = run.plan.numbering();
        this.order = room.newMemberOrder();
        this.url = run.plan.placement().first(room.index, user, numbering.users(), run.sockets.urls());
        this.random = new Random(run.plan.seed() + numbering.global(room.index, numbering.inRoom(user, 0)));
        this.identity = "\",\"userId\":\"" + numbering.userId(room.index, user) + "\",\"username\":\""
                + numbering.username(room.index, user) + "\",\"timestamp\":\"";
    }

    // Connecting and joining.

    void connect() {
        if (state != State.APART) return;
        state = State.CONNECTING;
        socket = run.sockets.open(room.loop.events, url, room.roomId, this);
    }

    @Override
    public void opened() {
        if (state == State.LEFT) return;
        heardNanos = System.nanoTime();
        state = State.JOINING;
        joinNanos = heardNanos;
        join();
    }

    private void join() {
        write("JOIN", welcomedOnce ? ",\"resume\":\"" + position + "\"" : "");
        flush();
    }

    void welcome(FrameScanner frame) {
        if (state != State.JOINING) {
            violation("was welcomed without having asked");
            return;
        }
        long now = System.nanoTime();
        state = State.JOINED;
        welcomeNanos = now;
        room.loop.latencies.welcome(now - joinNanos);
        if (frame.pingIntervalMs() > 0)
            silenceNanos = TimeUnit.MILLISECONDS.toNanos(frame.pingIntervalMs()) + GRACE_NANOS;
        if (welcomedOnce) {
            if (frame.position() != position)
                violation("asked to resume at " + position + " and was welcomed at " + frame.position());
        } else {
            welcomedOnce = true;
            position = frame.position();
            run.counters.joined.increment();
            run.joined.countDown();
        }
        sendAgain();
        send();
    }

    @Override
    public void ended(Ending ending) {
        State before = state;
        epoch++;
        socket = null;
        if (before == State.LEFT) {
            run.left.countDown();
            return;
        }
        state = State.APART;
        if (ending.isFinal()) {
            run.fail(this + " lost its connection to " + run.sockets.url(url) + " for good: " + ending);
            return;
        }
        (welcomedOnce ? run.counters.reconnects : run.counters.failedConnects).increment();
        if (before == State.JOINED && System.nanoTime() - welcomeNanos > STABLE_NANOS) attempt = 0;
        url = (url + 1) % run.sockets.urls();
        long delay =
                ending.reconnectAtOnce() && attempt == 0 ? 0 : run.backoff.delayMillis(attempt, random.nextDouble());
        attempt++;
        var unused = room.loop.events.schedule(this::connect, delay, TimeUnit.MILLISECONDS);
    }

    /** A server that pings is never silent for long: an open connection without a sign of life is a dead one. */
    void watch() {
        checkComplete();
        ChatSocket open = socket;
        if (open != null
                && (state == State.JOINING || state == State.JOINED)
                && System.nanoTime() - heardNanos > silenceNanos) open.fail(Ending.abnormal("the server went silent"));
    }

    void leave() {
        if (state == State.LEFT) return;
        State before = state;
        state = State.LEFT;
        ChatSocket open = socket;
        if (open == null) {
            run.left.countDown();
            return;
        }
        if (before == State.JOINED) write("LEAVE", "");
        open.close();
    }

    // Sending.

    void start() {
        send();
        flush();
    }

    private void send() {
        if (state != State.JOINED || !room.started()) return;
        long permitted = run.plan.sends().permitted(0, done);
        while (next < numbering.messages() && next < permitted) text(numbering.inRoom(user, next++), false);
    }

    private void sendAgain() {
        for (int sequence = 0; sequence < next; sequence++) {
            int number = numbering.inRoom(user, sequence);
            if (!room.isOpen(number)) continue;
            run.counters.resends.increment();
            text(number, true);
        }
    }

    private void text(int number, boolean again) {
        room.sent(number, again);
        write(
                "TEXT",
                ",\"messageId\":\"" + room.ids.id(number) + "\",\"message\":\"" + run.texts.text(room.index, number)
                        + '"');
    }

    /** @param fields that follow the ones all frames have, ASCII, escaped, each with its comma before it */
    private void write(String type, String fields) {
        ChatSocket open = socket;
        if (open == null) return;
        ByteBuf json = open.buffer(fields.length() + MAX_JSON_OVERHEAD);
        ByteBufUtil.writeAscii(json, "{\"messageType\":\"");
        ByteBufUtil.writeAscii(json, type);
        ByteBufUtil.writeAscii(json, identity);
        ByteBufUtil.writeAscii(json, Instant.now().toString());
        json.writeByte('"');
        ByteBufUtil.writeAscii(json, fields);
        json.writeByte('}');
        open.write(json);
    }

    private void flush() {
        ChatSocket open = socket;
        if (open != null) open.flush();
    }

    // Receiving.

    @Override
    public void heard() {
        heardNanos = System.nanoTime();
    }

    @Override
    public void frame(ByteBuf utf8) {
        if (state == State.LEFT) return;
        heardNanos = System.nanoTime();
        room.frame(this, utf8);
    }

    void messages(Batch batch) {
        if (batch.position() <= position)
            violation("received a frame at " + batch.position() + " after one at " + position);
        position = batch.position();
        int[] numbers = batch.numbers();
        if (batch.phantoms() > 0) room.phantoms(batch.phantoms());
        run.counters.frames.increment();
        run.counters.deliveries.add(numbers.length);
        run.counters.newDeliveries.add(order.receive(numbers));
        // One clock reading for all: they came in one frame.
        long now = heardNanos;
        int mine = numbering.inRoom(user, 0);
        int others = mine + numbering.messages();
        for (int number : numbers) {
            if (number >= mine && number < others) {
                room.loop.latencies.ownDelivery(room.sinceSent(number, now));
                arrived(number);
            } else {
                room.loop.latencies.othersDelivery(room.sinceSent(number, now));
            }
        }
        send();
        checkComplete();
    }

    void ack(FrameScanner frame) {
        for (int i = 0; i < frame.idCount(); i++) {
            int number = room.ids.number(frame.idHigh(i), frame.idLow(i));
            // The server may acknowledge JOIN and LEAVE, by ids of its own.
            if (number < 0) continue;
            if (numbering.userOf(number) != user) {
                violation("received the ACK of another's TEXT");
                continue;
            }
            if (!room.wasResent(number) && !room.wasReturned(number))
                violation("received the ACK of TEXT " + numbering.sequenceOf(number) + " before the TEXT");
            if (frame.idCount() == 1 && frame.position() > 0) room.announce(number, frame.position());
            // It may lie in the gap: then it will not come.
            if (order.hasGap()) arrived(number);
            boolean doneBefore = room.isDone(number);
            if (room.acked(number)) room.loop.latencies.ack(room.sinceSent(number, heardNanos));
            if (!doneBefore && room.isDone(number)) done++;
        }
        send();
        checkComplete();
    }

    void error(FrameScanner frame) {
        long retryMillis = frame.retryAfterMs() < 0 ? DEFAULT_RETRY_MILLIS : frame.retryAfterMs();
        int number = frame.idCount() == 1 ? room.ids.number(frame.idHigh(0), frame.idLow(0)) : -1;
        int asked = epoch;
        if (number >= 0 && numbering.userOf(number) == user) {
            if (frame.retryable()) {
                run.counters.retries.increment();
                schedule(
                        () -> {
                            if (epoch != asked || state != State.JOINED || !room.isOpen(number)) return;
                            text(number, false);
                            flush();
                        },
                        retryMillis);
            } else {
                boolean doneBefore = room.isDone(number);
                room.refused(number);
                if (!doneBefore && room.isDone(number)) done++;
                send();
                checkComplete();
            }
        } else if (state == State.JOINING && frame.retryable()) {
            run.counters.retries.increment();
            schedule(
                    () -> {
                        if (epoch == asked && state == State.JOINING) join();
                    },
                    retryMillis);
        } else if (state == State.JOINING) {
            run.fail(this + " was refused to join: " + frame.code() + " " + frame.errors());
        } else {
            violation("received " + frame.code() + " " + frame.errors());
        }
    }

    private void schedule(Runnable task, long millis) {
        var unused = room.loop.events.schedule(task, millis, TimeUnit.MILLISECONDS);
    }

    void gap(long from, long to) {
        run.counters.gaps.increment();
        order.gap(from, to);
        position = Math.max(position, to);
        for (int sequence = 0; sequence < next; sequence++) {
            int number = numbering.inRoom(user, sequence);
            if (!room.isOpen(number)) arrived(number);
        }
        send();
        checkComplete();
    }

    private void arrived(int number) {
        boolean doneBefore = room.isDone(number);
        room.returned(number);
        if (!doneBefore && room.isDone(number)) done++;
    }

    /** With a gap nobody knows how much is to come: it is enough to be where a member without one was at its end. */
    void checkComplete() {
        if (complete || done < numbering.messages()) return;
        boolean received = order.distinct() >= room.expected()
                || (order.hasGap() && room.completePosition() > 0 && position >= room.completePosition());
        if (!received) return;
        complete = true;
        room.complete(position);
    }

    MemberHistory history() {
        return order.history();
    }

    private void violation(String what) {
        run.violations.add(this + " " + what);
    }

    @Override
    public String toString() {
        return "user " + user + " in " + room.roomId;
    }
}

package chat.load.driver;

import chat.load.check.MemberHistory;
import chat.load.check.Outcome;
import chat.load.check.RoomHistory;
import chat.load.dialect.Frame;
import chat.load.plan.Numbering;
import chat.load.report.Latencies.Metric;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** Tracks one room from its members' view, and the state of each TEXT. Confined to its group's event loop. */
final class Room {
    private static final int SENT = 1;
    private static final int ACKED = 2;
    private static final int RETURNED = 4;
    private static final int REFUSED = 8;
    /** A connection was lost between sending and answer. */
    private static final int UNCERTAIN = 16;

    final RunState run;
    final Loop loop;
    final int index;
    /** Index among its group's rooms. */
    final int slot;

    final Group group;
    final String roomId;
    final RoomIds ids;
    private final Numbering numbering;
    private final byte[] asciiRoomId;
    private final List<Member> members = new ArrayList<>();
    private final byte[] states;
    private final BitSet resent = new BitSet();
    private final long[] announced;
    private final RoomOrder order;
    private final Marks marks = new Marks();

    private boolean started;
    private boolean stopped;
    /** Members that may still send new messages. */
    private int senders;
    /** TEXTs sent and not done. */
    private int open;

    private int sent;
    private int acceptedCount;
    private int refusedForSure;
    private int phantoms;
    private long deliveries;
    private int completeMembers;
    private long lastPosition;
    private long firstSentNanos = -1;
    private long lastDoneNanos;

    Room(RunState run, Group group, int index, int slot) {
        this.run = run;
        this.group = group;
        this.loop = group.loop;
        this.index = index;
        this.slot = slot;
        this.numbering = run.plan.numbering();
        this.roomId = run.ids.roomName(index);
        this.asciiRoomId = roomId.getBytes(StandardCharsets.US_ASCII);
        this.ids = new RoomIds(run.ids, numbering, index);
        this.states = new byte[numbering.perRoom()];
        this.announced = new long[numbering.perRoom()];
        this.order = new RoomOrder(numbering.perRoom());
        this.senders = numbering.users();
    }

    Member newMember(Client client, int user) {
        Member member = new Member(this, client, user, new MemberOrder(order, numbering.perRoom()));
        members.add(member);
        return member;
    }

    boolean isNamedBy(Frame frame) {
        return frame.isAbout(asciiRoomId);
    }

    void start() {
        started = true;
        for (Member member : members) member.start();
    }

    boolean started() {
        return started;
    }

    void stopSending() {
        stopped = true;
        for (Member member : members) member.finishSending();
    }

    boolean stopped() {
        return stopped;
    }

    Batch batch(Frame frame, byte[] unit, int length, int hash) {
        int[] numbers = new int[frame.idCount()];
        long[] sentNanos = new long[numbers.length];
        int count = 0;
        for (int i = 0; i < numbers.length; i++) {
            int number = ids.number(frame.idHigh(i), frame.idLow(i));
            if (number < 0) continue;
            sentNanos[count] = ids.firstSent(number);
            numbers[count++] = number;
        }
        if (frame.lastIsText() && frame.position() > 0 && count > 0 && count == numbers.length)
            announce(numbers[count - 1], frame.position());
        return new Batch(
                ByteBuffer.wrap(Arrays.copyOf(unit, length)),
                hash,
                this,
                count == numbers.length ? numbers : Arrays.copyOf(numbers, count),
                sentNanos,
                numbers.length - count,
                frame.position());
    }

    /** A member has received a batch. */
    void received(Batch batch) {
        int[] numbers = batch.numbers();
        deliveries += numbers.length;
        phantoms += batch.phantoms();
        if (numbers.length == 0) return;
        lastPosition = Math.max(lastPosition, batch.position());
        // A TEXT that first reaches a member with a separate list enters the order only when others receive it, too.
        if (batch.position() > marks.lastPosition() && order.place(numbers[numbers.length - 1]) >= 0)
            marks.add(batch.position(), order.size());
    }

    /** Stores the position that a frame contains for a TEXT. */
    void announce(int number, long position) {
        if (announced[number] == 0) announced[number] = position;
        else if (announced[number] != position)
            run.violations.add(name(number) + " was told at " + announced[number] + " and at " + position);
    }

    /** Storage reported at {@code runNanos} that everything up to {@code position} is stored. */
    void storedThrough(long position, long runNanos) {
        int before = marks.stored();
        int stored = marks.storedThrough(position);
        int[] numbers = order.numbers();
        for (int i = before; i < stored; i++) loop.latencies().record(Metric.ROW, runNanos - ids.firstSent(numbers[i]));
    }

    /** Whether everything that members have received is known to be stored. */
    boolean isStored() {
        return marks.stored() == order.size();
    }

    // States of TEXTs.

    /**
     * @param dueNanos intended send time, after the run's beginning
     * @param again whether it was sent before, over a connection that ended without an answer
     */
    void sent(int number, long dueNanos, boolean again) {
        if (ids.wasSent(number)) {
            resent.set(number);
        } else {
            run.counters.sent.increment();
            sent++;
            open++;
            if (firstSentNanos < 0) {
                firstSentNanos = dueNanos;
                run.firstSentNanos.compareAndSet(-1, dueNanos);
            }
        }
        if (run.plan.limit() != null) run.lastSentNanos.accumulate(run.elapsedNanos());
        ids.sent(number, dueNanos);
        states[number] |= (byte) (again ? SENT | UNCERTAIN : SENT);
    }

    boolean isOpen(int number) {
        return (states[number] & (ACKED | REFUSED)) == 0;
    }

    /** Delivered to its sender and acknowledged, or rejected. */
    private boolean isDone(int number) {
        int state = states[number];
        return (state & REFUSED) != 0 || (state & (ACKED | RETURNED)) == (ACKED | RETURNED);
    }

    boolean wasReturned(int number) {
        return (states[number] & RETURNED) != 0;
    }

    boolean wasResent(int number) {
        return resent.get(number);
    }

    /** @return whether this completed the TEXT */
    boolean returned(int number) {
        boolean before = isDone(number);
        states[number] |= RETURNED;
        return !before && done(number);
    }

    /** @return whether this completed the TEXT */
    boolean acked(int number, long nowNanos) {
        if ((states[number] & ACKED) != 0) return false;
        if ((states[number] & REFUSED) != 0) run.violations.add(name(number) + " was accepted after it was refused");
        boolean before = isDone(number);
        states[number] |= ACKED;
        run.counters.accepted.increment();
        acceptedCount++;
        long latency = nowNanos - run.startNanos - ids.firstSent(number);
        loop.latencies().record(Metric.ACK, latency);
        loop.log("TEXT", latency, 200, roomId);
        return !before && done(number);
    }

    /** @return whether this completed the TEXT */
    boolean refused(int number, int code) {
        if (!isOpen(number)) {
            run.violations.add(name(number) + " was refused after it was answered");
            return false;
        }
        boolean before = isDone(number);
        states[number] |= REFUSED;
        run.counters.refused.increment();
        if (run.firstRefusedNanos.get() < 0) run.firstRefusedNanos.compareAndSet(-1, run.elapsedNanos());
        loop.log("TEXT", run.elapsedNanos() - ids.firstSent(number), code, roomId);
        // TEXTs that may have reached the log over a lost connection can still be delivered.
        if ((states[number] & UNCERTAIN) == 0) refusedForSure++;
        return !before && done(number);
    }

    /** Stops tracking the given number of open TEXTs. */
    void abandon(int texts) {
        open -= texts;
        checkSettled();
    }

    private boolean done(int number) {
        if (!isDone(number)) return false;
        open--;
        lastDoneNanos = run.elapsedNanos();
        return true;
    }

    // Completion.

    void senderFinished() {
        senders--;
        checkSettled();
    }

    /** Whether no new TEXT will be sent and all sent TEXTs are done. */
    boolean settled() {
        return started && senders == 0 && open == 0;
    }

    void checkSettled() {
        if (!settled()) return;
        for (Member member : members) member.checkComplete();
    }

    /** The position of the last TEXT that any member has received; 0 if none is known. */
    long lastPosition() {
        return lastPosition;
    }

    /** Number of TEXTs that a member present for the whole run must have received. */
    int expected() {
        return sent - refusedForSure;
    }

    void memberComplete() {
        completeMembers++;
        if (completeMembers == numbering.users()) run.completeRooms.countDown();
    }

    RoomHistory history() {
        Outcome[] outcomes = new Outcome[states.length];
        for (int n = 0; n < states.length; n++) outcomes[n] = outcome(states[n]);
        List<MemberHistory> received = new ArrayList<>(members.size());
        for (Member member : members) received.add(member.history());
        return new RoomHistory(roomId, outcomes, resent, announced, phantoms, received, null);
    }

    ChatRun.RoomFigures figures() {
        return new ChatRun.RoomFigures(
                roomId,
                sent,
                acceptedCount,
                deliveries,
                firstSentNanos < 0 ? 0 : Math.max(0, lastDoneNanos - firstSentNanos) / 1e9);
    }

    private static Outcome outcome(int state) {
        if ((state & SENT) == 0) return Outcome.NOT_SENT;
        if ((state & ACKED) != 0) return Outcome.ACCEPTED;
        return (state & (REFUSED | UNCERTAIN)) == REFUSED ? Outcome.REFUSED : Outcome.UNKNOWN;
    }

    private String name(int number) {
        return "TEXT " + numbering.sequenceOf(number) + " of user " + numbering.userOf(number) + " in " + roomId;
    }
}

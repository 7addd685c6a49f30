package chat.load.driver;

import chat.load.check.MemberHistory;
import chat.load.check.RoomHistory;
import chat.load.dialect.Frame;
import chat.load.plan.Numbering;
import chat.load.plan.Traffic;
import chat.load.report.Latencies.Metric;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Tracks one room from its members' view: who is in it, what they received, and whether all is complete. Confined to
 * its group's event loop.
 */
final class Room {
    final RunState run;
    final Loop loop;
    final int index;
    /** Index among its group's rooms. */
    final int slot;

    final Group group;
    final String roomId;
    final RoomIds ids;
    final RoomTexts texts;
    private final Numbering numbering;
    private final byte[] asciiRoomId;
    private final List<Member> members = new ArrayList<>();
    private final RoomOrder order;
    private final PositionIndex positions = new PositionIndex();

    private boolean started;
    /** Members that may still send new messages. */
    private int senders;

    private int phantoms;
    private long deliveries;
    private int completeMembers;
    private long lastPosition;
    /** Lowest position of a WELCOME; below 0 if none is known. */
    private long firstPosition = -1;

    Room(RunState run, Group group, int index, int slot) {
        this.run = run;
        this.group = group;
        this.loop = group.loop;
        this.index = index;
        this.slot = slot;
        this.numbering = run.plan.numbering();
        Traffic traffic = run.plan.traffic();
        this.roomId = traffic.roomName(run.ids, index);
        this.asciiRoomId = roomId.getBytes(StandardCharsets.US_ASCII);
        this.ids = new RoomIds(run.ids, numbering, index, traffic.numberedRooms());
        this.texts = new RoomTexts(run, loop, roomId, ids);
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

    /** A member has joined: the run's messages come after this position. */
    void joinedAt(long position) {
        if (firstPosition < 0 || position < firstPosition) firstPosition = position;
    }

    void start() {
        started = true;
        for (Member member : members) member.start();
    }

    boolean started() {
        return started;
    }

    void stopSending() {
        for (Member member : members) member.finishSending();
    }

    Batch batch(Frame frame, byte[] unit, int length, int hash) {
        int[] numbers = new int[frame.idCount()];
        long[] sentNanos = new long[numbers.length];
        int count = 0;
        int unsent = 0;
        for (int i = 0; i < numbers.length; i++) {
            int number = ids.number(frame.idHigh(i), frame.idLow(i));
            if (number < 0) {
                if (!ids.mayBeOthers(frame.idHigh(i), frame.idLow(i))) unsent++;
                continue;
            }
            sentNanos[count] = ids.firstSent(number);
            numbers[count++] = number;
        }
        if (frame.lastIsText() && frame.position() > 0 && count > 0 && count == numbers.length)
            texts.announce(numbers[count - 1], frame.position());
        return new Batch(
                ByteBuffer.wrap(Arrays.copyOf(unit, length)),
                hash,
                this,
                count == numbers.length ? numbers : Arrays.copyOf(numbers, count),
                sentNanos,
                unsent,
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
        if (batch.position() > positions.lastPosition() && order.indexOf(numbers[numbers.length - 1]) >= 0)
            positions.add(batch.position(), order.size());
    }

    /** Storage reported at {@code runNanos} that everything up to {@code position} is stored. */
    void storedThrough(long position, long runNanos) {
        int before = positions.stored();
        int stored = positions.storedThrough(position);
        int[] numbers = order.numbers();
        for (int i = before; i < stored; i++) loop.latencies().record(Metric.ROW, runNanos - ids.firstSent(numbers[i]));
    }

    /** Whether everything that members have received is known to be stored. */
    boolean isStored() {
        return positions.stored() == order.size();
    }

    // Completion.

    void senderFinished() {
        senders--;
        checkSettled();
    }

    /** Whether no new TEXT will be sent and all sent TEXTs are done. */
    boolean settled() {
        return started && senders == 0 && texts.allDone();
    }

    void checkSettled() {
        if (!settled()) return;
        for (Member member : members) member.checkComplete();
    }

    /** The position of the last TEXT that any member has received; 0 if none is known. */
    long lastPosition() {
        return lastPosition;
    }

    void memberComplete() {
        completeMembers++;
        if (completeMembers == numbering.users()) run.completeRooms.countDown();
    }

    RoomHistory history() {
        List<MemberHistory> received = new ArrayList<>(members.size());
        for (Member member : members) received.add(member.history());
        return new RoomHistory(
                roomId,
                run.plan.traffic().numberedRooms() ? Math.max(0, firstPosition) : 0,
                texts.outcomes(),
                texts.resent(),
                texts.announced(),
                phantoms,
                received,
                null);
    }

    ChatRun.RoomFigures figures() {
        return new ChatRun.RoomFigures(
                roomId, texts.sent(), texts.accepted(), deliveries, texts.seconds(), texts.inFlightSeconds());
    }
}

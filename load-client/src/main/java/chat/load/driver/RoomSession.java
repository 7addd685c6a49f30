package chat.load.driver;

import chat.load.check.MemberHistory;
import chat.load.check.Outcome;
import chat.load.check.RoomHistory;
import chat.load.plan.Numbering;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One room as its members see it: what each TEXT has come to, and the frames that all of them get. All members live on one
 * event loop, so nothing here is locked, and a frame is read once for all.
 */
final class RoomSession {
    private static final int SENT = 1;
    private static final int ACKED = 2;
    private static final int RETURNED = 4;
    private static final int REFUSED = 8;
    /** A connection was lost between a sending and its answer. */
    private static final int UNCERTAIN = 16;

    final RunState run;
    final Loop loop;
    final int index;
    final String roomId;
    final RoomIds ids;
    private final Numbering numbering;
    private final byte[] asciiRoomId;
    private final MemberSession[] members;
    private final byte[] states;
    private final BitSet resent = new BitSet();
    private final long[] announced;
    private final RoomOrder order;
    private final FrameCache cache = new FrameCache();
    private int refused;
    private int phantoms;
    private int completeMembers;
    /** The highest position at which a member was complete: a member with a gap has to come this far. 0: none yet. */
    private long completePosition;

    private boolean started;

    RoomSession(RunState run, Loop loop, int index) {
        this.run = run;
        this.loop = loop;
        this.index = index;
        this.numbering = run.plan.numbering();
        this.roomId = run.ids.roomName(index);
        this.asciiRoomId = roomId.getBytes(StandardCharsets.US_ASCII);
        this.ids = new RoomIds(run.ids, numbering, index);
        this.states = new byte[numbering.perRoom()];
        this.announced = new long[numbering.perRoom()];
        this.order = new RoomOrder(numbering.perRoom());
        this.members = new MemberSession[numbering.users()];
        for (int user = 0; user < members.length; user++) members[user] = new MemberSession(this, user);
    }

    /** Lets the members connect, each at its time, and watches over them from then on. */
    void connect() {
        for (MemberSession member : members) {
            // Members of all rooms take turns.
            long due = run.plan.connects().dueNanos((long) member.user * numbering.rooms() + index);
            var unused = loop.events.schedule(member::connect, due, TimeUnit.NANOSECONDS);
        }
        var unused = loop.events.scheduleAtFixedRate(this::watch, 1, 1, TimeUnit.SECONDS);
    }

    void start() {
        started = true;
        for (MemberSession member : members) member.start();
    }

    boolean started() {
        return started;
    }

    void leave() {
        for (MemberSession member : members) member.leave();
    }

    private void watch() {
        for (MemberSession member : members) member.watch();
    }

    MemberOrder newMemberOrder() {
        return new MemberOrder(order, numbering.perRoom());
    }

    /** A frame for one member. */
    void frame(MemberSession member, ByteBuf utf8) {
        ByteBuffer bytes = utf8.nioBuffer();
        Batch known = cache.find(bytes);
        if (known != null) {
            run.counters.copies.increment();
            member.messages(known);
            return;
        }
        int length = bytes.remaining();
        byte[] json = loop.scratch(length);
        bytes.get(json, 0, length);
        FrameScanner scanner = loop.scanner;
        try {
            scanner.scan(json, length);
        } catch (FrameScanner.Malformed malformed) {
            run.violations.add(member + " received a frame that can't be read: " + malformed.getMessage());
            return;
        }
        if (!scanner.isAbout(asciiRoomId)) {
            run.violations.add(member + " received a frame of another room");
            return;
        }
        switch (scanner.type()) {
            case MESSAGES -> {
                Batch batch = batch(scanner, Arrays.copyOf(json, length));
                cache.add(batch);
                member.messages(batch);
            }
            case ACK -> member.ack(scanner);
            case WELCOME -> member.welcome(scanner);
            case ERROR -> member.error(scanner);
            case GAP -> member.gap(scanner.from(), scanner.to());
            case OTHER -> {
                // A newer server may say more.
            }
        }
    }

    private Batch batch(FrameScanner scanner, byte[] json) {
        int[] numbers = new int[scanner.idCount()];
        int count = 0;
        for (int i = 0; i < numbers.length; i++) {
            int number = ids.number(scanner.idHigh(i), scanner.idLow(i));
            if (number >= 0) numbers[count++] = number;
        }
        if (scanner.lastIsText() && count > 0 && count == numbers.length)
            announce(numbers[count - 1], scanner.position());
        return new Batch(
                ByteBuffer.wrap(json), Arrays.copyOf(numbers, count), numbers.length - count, scanner.position());
    }

    /** Keeps the position that a frame told for a TEXT. */
    void announce(int number, long position) {
        if (announced[number] == 0) announced[number] = position;
        else if (announced[number] != position)
            run.violations.add(name(number) + " was told at " + announced[number] + " and at " + position);
    }

    void phantoms(int count) {
        phantoms += count;
    }

    // What a TEXT has come to.

    /** @param again whether it was sent before over a connection that ended without an answer */
    void sent(int number, boolean again) {
        if (ids.wasSent(number)) resent.set(number);
        else run.counters.sent.increment();
        ids.sent(number, System.nanoTime() - run.startNanos);
        states[number] |= (byte) (again ? SENT | UNCERTAIN : SENT);
    }

    boolean isOpen(int number) {
        return (states[number] & (ACKED | REFUSED)) == 0;
    }

    /** Came back and was acknowledged, or was refused. */
    boolean isDone(int number) {
        int state = states[number];
        return (state & REFUSED) != 0 || (state & (ACKED | RETURNED)) == (ACKED | RETURNED);
    }

    boolean wasReturned(int number) {
        return (states[number] & RETURNED) != 0;
    }

    boolean wasResent(int number) {
        return resent.get(number);
    }

    void returned(int number) {
        states[number] |= RETURNED;
    }

    /** @return false where it had been acknowledged before */
    boolean acked(int number) {
        if ((states[number] & ACKED) != 0) return false;
        if ((states[number] & REFUSED) != 0) run.violations.add(name(number) + " was accepted after it was refused");
        states[number] |= ACKED;
        run.counters.accepted.increment();
        return true;
    }

    void refused(int number) {
        if (!isOpen(number)) {
            run.violations.add(name(number) + " was refused after it was answered");
            return;
        }
        states[number] |= REFUSED;
        run.counters.refused.increment();
        // What may have reached the log on a lost connection can still come back.
        if ((states[number] & UNCERTAIN) == 0) refused++;
        for (MemberSession member : members) member.checkComplete();
    }

    long sinceSent(int number, long nowNanos) {
        return nowNanos - run.startNanos - ids.firstSent(number);
    }

    /** TEXTs that each member has to receive. */
    int expected() {
        return numbering.perRoom() - refused;
    }

    long completePosition() {
        return completePosition;
    }

    void complete(long position) {
        completePosition = Math.max(completePosition, position);
        completeMembers++;
        if (completeMembers == members.length) run.completeRooms.countDown();
    }

    RoomHistory history() {
        Outcome[] outcomes = new Outcome[states.length];
        for (int n = 0; n < states.length; n++) outcomes[n] = outcome(states[n]);
        List<MemberHistory> received = new ArrayList<>(members.length);
        for (MemberSession member : members) received.add(member.history());
        return new RoomHistory(roomId, outcomes, resent, announced, phantoms, received, null);
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

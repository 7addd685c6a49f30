package chat.load.driver;

import chat.load.check.Outcome;
import chat.load.plan.Numbering;
import chat.load.report.Latencies.Metric;
import chat.load.report.TenSecondCounts.Event;
import java.util.BitSet;

/** Tracks the state of each TEXT of one room, from sending to the last answer. Confined to the room's event loop. */
final class RoomTexts {
    private static final int SENT = 1;
    private static final int ACKED = 2;
    private static final int RETURNED = 4;
    private static final int REFUSED = 8;
    /** A connection was lost between sending and answer. */
    private static final int UNCERTAIN = 16;

    private final RunState run;
    private final Loop loop;
    private final Numbering numbering;
    private final String roomId;
    private final RoomIds ids;
    private final byte[] states;
    private final BitSet resent = new BitSet();
    /** TEXTs that were sent twice on purpose. */
    private final BitSet duplicated = new BitSet();

    private final long[] announced;

    /** TEXTs sent and not done. */
    private int open;

    private int sent;
    private int accepted;
    private int refused;
    private int refusedForSure;
    /** Sum of the answers' times minus sum of the send times, in nanoseconds after the run's beginning. */
    private long inFlightNanos;

    private long firstSentNanos = -1;
    private long lastDoneNanos;

    RoomTexts(RunState run, Loop loop, String roomId, RoomIds ids) {
        this.run = run;
        this.loop = loop;
        this.numbering = run.plan.numbering();
        this.roomId = roomId;
        this.ids = ids;
        this.states = new byte[numbering.perRoom()];
        this.announced = new long[numbering.perRoom()];
    }

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
            inFlightNanos -= dueNanos;
            run.count(loop, Event.SENT, 1, run.elapsedNanos());
        }
        if (run.plan.limit() != null) run.lastSentNanos.accumulate(run.elapsedNanos());
        ids.sent(number, dueNanos);
        states[number] |= (byte) (again ? SENT | UNCERTAIN : SENT);
    }

    /** The TEXT was sent twice under its id: servers answer it twice. */
    void duplicated(int number) {
        duplicated.set(number);
    }

    /** Whether this answer is the second to a TEXT that was sent twice on purpose. */
    boolean isAnsweredTwice(int number) {
        return !isOpen(number) && duplicated.get(number);
    }

    /** Stores the position that a frame contains for a TEXT. */
    void announce(int number, long position) {
        if (announced[number] == 0) announced[number] = position;
        else if (announced[number] != position)
            run.violations.add(name(number) + " was told at " + announced[number] + " and at " + position);
    }

    /** Whether the server has neither acknowledged nor rejected it. */
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
        accepted++;
        long now = nowNanos - run.startNanos;
        inFlightNanos += now;
        run.count(loop, Event.ACCEPTED, 1, now);
        long latency = now - ids.firstSent(number);
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
        refused++;
        inFlightNanos += run.elapsedNanos();
        if (run.firstRefusedNanos.get() < 0) run.firstRefusedNanos.compareAndSet(-1, run.elapsedNanos());
        loop.log("TEXT", run.elapsedNanos() - ids.firstSent(number), code, roomId);
        // TEXTs that may have reached the log over a lost connection can still be delivered.
        if ((states[number] & UNCERTAIN) == 0) refusedForSure++;
        return !before && done(number);
    }

    /** Stops tracking the given number of open TEXTs. */
    void abandon(int texts) {
        open -= texts;
    }

    private boolean done(int number) {
        if (!isDone(number)) return false;
        open--;
        lastDoneNanos = run.elapsedNanos();
        return true;
    }

    /** Whether all TEXTs sent are done. */
    boolean allDone() {
        return open == 0;
    }

    int sent() {
        return sent;
    }

    int accepted() {
        return accepted;
    }

    /** Number of TEXTs that a member present for the whole run must have received. */
    int expected() {
        return sent - refusedForSure;
    }

    /** From the first TEXT to the last one that was done; 0 if none was sent. */
    double seconds() {
        return firstSentNanos < 0 ? 0 : Math.max(0, lastDoneNanos - firstSentNanos) / 1e9;
    }

    /** How long all TEXTs together were unanswered, from their intended send times until now. */
    double inFlightSeconds() {
        return (inFlightNanos + (sent - accepted - refused) * run.elapsedNanos()) / 1e9;
    }

    BitSet resent() {
        return resent;
    }

    /** Positions by number, 0 if none is known. */
    long[] announced() {
        return announced;
    }

    Outcome[] outcomes() {
        Outcome[] outcomes = new Outcome[states.length];
        for (int n = 0; n < states.length; n++) outcomes[n] = outcome(states[n]);
        return outcomes;
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

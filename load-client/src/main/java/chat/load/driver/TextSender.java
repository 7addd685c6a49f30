package chat.load.driver;

import chat.load.dialect.Frame;
import chat.load.plan.Numbering;
import chat.load.plan.Pacing;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * Sends a member's TEXTs at the planned pace, resends and retries them, and counts those that are done. A guest sends
 * nothing. Confined to its room's event loop.
 */
final class TextSender {
    private final Member member;
    private final Room room;
    private final RunState run;
    private final Client client;
    private final Numbering numbering;
    private final Random random;

    /** When its sending begins, after the run's beginning. */
    private long beginNanos;

    private boolean timing;
    private boolean finished;
    /** Sequence number of the next new TEXT. */
    private int next;
    /** Number of TEXTs that are done. */
    private int done;
    /** How often it leaves and joins again before its last TEXT. */
    private int returnsLeft;

    private final Map<Integer, Integer> tries = new HashMap<>(0);

    TextSender(Member member, Room room, Client client, Random random) {
        this.member = member;
        this.room = room;
        this.run = room.run;
        this.client = client;
        this.numbering = run.plan.numbering();
        this.random = random;
        this.returnsLeft = run.plan.traffic().returns(numbering.messages());
    }

    /** Begins to send; the chat has begun and the member was welcomed. */
    void begin() {
        if (member.isGuest()) return;
        beginNanos = run.elapsedNanos();
        send();
        client.flush();
    }

    /** Stops sending new TEXTs. */
    void finish() {
        if (finished || member.isGuest()) return;
        finished = true;
        room.senderFinished();
    }

    /** Stops tracking TEXTs that are not done. */
    void abandon() {
        room.texts.abandon(next - done);
        done = next;
        room.checkSettled();
    }

    /** Whether all its TEXTs are done. */
    boolean isIdle() {
        return done == next;
    }

    /** Number of different TEXTs sent. */
    int sent() {
        return next;
    }

    /** Sends the TEXTs that are due. */
    void send() {
        if (!member.isIn() || !room.started() || finished || member.isGuest()) return;
        switch (run.plan.sends()) {
            case Pacing.Window window -> {
                while (mayContinue() && next < window.permitted(0, done)) sendNext(run.elapsedNanos());
            }
            case Pacing.Rate rate -> {
                long now = run.elapsedNanos();
                while (mayContinue() && dueNanos(rate) <= now) sendNext(dueNanos(rate));
                if (mayContinue()) sendLater(rate, now);
            }
        }
        if (next == numbering.messages()) finish();
    }

    private boolean mayContinue() {
        return member.isIn() && next < numbering.messages();
    }

    private long dueNanos(Pacing.Rate rate) {
        return beginNanos + run.plan.dueNanos(rate, numbering.member(room.index, member.user), next);
    }

    private void sendLater(Pacing.Rate rate, long now) {
        if (timing) return;
        timing = true;
        room.loop.after(dueNanos(rate) - now, () -> {
            timing = false;
            send();
            client.flush();
        });
    }

    private void sendNext(long dueNanos) {
        int number = numbering.inRoom(member.user, next++);
        text(number, dueNanos, false);
        if (random.nextDouble() < run.plan.traffic().duplicates()) duplicate(number);
        if (leavesNow()) member.sendLeave();
    }

    /** Sends a TEXT a second time before the server can have answered the first. */
    private void duplicate(int number) {
        run.counters.duplicates.increment();
        room.texts.duplicated(number);
        write(number);
    }

    /** Selects the planned number of returns among the TEXTs to come, each with the same probability. */
    private boolean leavesNow() {
        int places = numbering.messages() - next;
        if (random.nextDouble() * places >= returnsLeft) return false;
        returnsLeft--;
        return true;
    }

    /**
     * Sends all open TEXTs again.
     *
     * @param lost true if a connection ended; false if TEXTs were only rejected for now and all have answers
     */
    void sendAgain(boolean lost) {
        if (member.isGuest()) return;
        for (int sequence = 0; sequence < next; sequence++) {
            int number = numbering.inRoom(member.user, sequence);
            if (!room.texts.isOpen(number)) continue;
            if (lost) run.counters.resends.increment();
            text(number, run.elapsedNanos(), lost);
        }
    }

    private void text(int number, long dueNanos, boolean again) {
        room.texts.sent(number, dueNanos, again);
        write(number);
    }

    private void write(int number) {
        String text = run.texts.text(room.index, number);
        client.write(out -> run.dialect.text(out, member.identity(), number, room.ids.id(number), text), text.length());
    }

    /** The server acknowledged a TEXT. */
    void acked(int number) {
        tries.remove(number);
        if (room.texts.acked(number, client.lastFrameNanos())) done();
    }

    /** The member received its own TEXT, or will not receive it. */
    void returned(int number) {
        if (room.texts.returned(number)) done();
    }

    /** The member has a gap: it will not receive the answered TEXTs that may lie in it. */
    void skipAnswered() {
        for (int sequence = 0; sequence < next && !member.isGuest(); sequence++) {
            int number = numbering.inRoom(member.user, sequence);
            if (!room.texts.isOpen(number)) returned(number);
        }
    }

    /** The server rejected a TEXT: retries it later or gives up. */
    void refused(int number, Frame frame) {
        if (room.texts.isAnsweredTwice(number)) return;
        int tried = tries.merge(number, 1, Integer::sum);
        if (frame.retryable() && tried <= run.plan.retries()) {
            member.retryText(frame, tried - 1, () -> {
                if (room.texts.isOpen(number)) text(number, run.elapsedNanos(), false);
            });
            return;
        }
        tries.remove(number);
        if (room.texts.refused(number, frame.retryable() ? 503 : 400)) done();
        send();
        member.checkComplete();
    }

    private void done() {
        done++;
        if (finished) room.checkSettled();
    }
}

package chat.load.driver;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Misbehaves on a client's connection, and records whether the server closes the connection in time. Confined to its
 * client's event loop.
 */
final class MisbehaviourProbe {
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** How long a slow reader reads what was in transit, after it resumes reading, before the connection ends. */
    static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final Client client;
    private final RunState run;
    private final Loop loop;
    private boolean begun;
    private boolean recorded;
    private long beginNanos;

    MisbehaviourProbe(Client client, RunState run, Loop loop) {
        this.client = client;
        this.run = run;
        this.loop = loop;
    }

    boolean hasBegun() {
        return begun;
    }

    /** Stops reading from the connection, and reads what is left when the server's time is over. */
    void stopReading(ChatSocket socket) {
        socket.stopReading();
        begin(() -> resumeReading(socket));
        checkEnded(socket);
    }

    /** Expects that the server closes the connection, on which the client does not answer pings. */
    void staySilent() {
        begin(this::closeOpen);
    }

    private void begin(Runnable deadline) {
        begun = true;
        beginNanos = System.nanoTime();
        loop.after(run.plan.guests().within().toNanos(), deadline);
    }

    /** Checks periodically whether the server has closed the connection that is not being read. */
    private void checkEnded(ChatSocket stalled) {
        if (recorded || client.socket() != stalled) return;
        if (stalled.hasEndedUnread()) {
            recordResult(Ending.abnormal("ended by the server"));
            stalled.fail(Ending.abnormal("the server has ended it"));
        } else {
            loop.after(CHECK_NANOS, () -> checkEnded(stalled));
        }
    }

    /** Resumes reading: the close may be queued behind unread data. */
    private void resumeReading(ChatSocket stalled) {
        if (recorded || client.socket() != stalled) return;
        stalled.resumeReading();
        loop.after(DRAIN_NANOS, this::closeOpen);
    }

    private void closeOpen() {
        if (recorded) return;
        recordResult(null);
        ChatSocket open = client.socket();
        if (open != null) open.fail(Ending.abnormal("given up"));
    }

    /**
     * Records the result, once.
     *
     * @param ending null if the server did not close the connection
     */
    void recordResult(@Nullable Ending ending) {
        if (recorded) return;
        recorded = true;
        run.misbehaved.add(new Misbehaviour(client.name(), (System.nanoTime() - beginNanos) / 1e9, ending));
        run.misbehaving.countDown();
    }
}

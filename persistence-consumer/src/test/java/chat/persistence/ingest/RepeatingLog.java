package chat.persistence.ingest;

import chat.log.ForwardingRoomLog;
import chat.log.RoomLog;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletionStage;

/**
 * A log with duplicate entries: after every tenth entry with messages, that entry and the two before it are appended again,
 * as by a server that received no confirm in time. Thread-safe.
 */
final class RepeatingLog extends ForwardingRoomLog {
    private static final int EVERY = 10;
    private static final int TOGETHER = 3;
    private static final int KIND_AT = 1;
    private static final byte MESSAGES = 1;
    private static final int RUN_AT = 18;

    private final boolean byAnother;
    private final Deque<byte[]> last = new ArrayDeque<>();
    private int entries;
    private int repeated;

    /** @param byAnother whether the copies are another server's, to which the messages were sent again */
    RepeatingLog(RoomLog log, boolean byAnother) {
        super(log);
        this.byAnother = byAnother;
    }

    @Override
    public synchronized CompletionStage<Void> append(int partition, byte[] entry) {
        CompletionStage<Void> confirmed = super.append(partition, entry);
        if (entry[KIND_AT] != MESSAGES) return confirmed;
        last.add(entry.clone());
        if (last.size() > TOGETHER) last.remove();
        if (++entries % EVERY == 0)
            for (byte[] again : last) {
                byte[] copy = again.clone();
                if (byAnother)
                    ByteBuffer.wrap(copy).putLong(RUN_AT, ~ByteBuffer.wrap(copy).getLong(RUN_AT));
                super.append(partition, copy).toCompletableFuture().join();
                repeated++;
            }
        return confirmed;
    }

    /** Copies written so far. */
    synchronized int repeated() {
        return repeated;
    }

    /** Whose log it is closes it. */
    @Override
    public void close() {}
}

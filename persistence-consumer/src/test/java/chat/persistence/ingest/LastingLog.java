package chat.persistence.ingest;

import chat.log.RoomLog;
import java.util.concurrent.CompletionStage;

/** A log that says it outlives its process, as a broker's does. */
record LastingLog(RoomLog log) implements RoomLog {
    @Override
    public int partitions() {
        return log.partitions();
    }

    @Override
    public boolean outlivesItsProcess() {
        return true;
    }

    @Override
    public CompletionStage<Void> append(int partition, byte[] entry) {
        return log.append(partition, entry);
    }

    @Override
    public Tail tail(int partition, Start start, TailHandler handler) {
        return log.tail(partition, start, handler);
    }

    @Override
    public State state() {
        return log.state();
    }

    @Override
    public void onStateChange(Runnable listener) {
        log.onStateChange(listener);
    }

    /** What lasts keeps what is stored, too. */
    @Override
    public void release(int partition, long offset) {}

    @Override
    public void close() {}
}

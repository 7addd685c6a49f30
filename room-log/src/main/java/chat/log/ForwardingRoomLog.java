package chat.log;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Delegates every call to another log; base class of decorators. */
public abstract class ForwardingRoomLog implements RoomLog {
    private final RoomLog log;

    protected ForwardingRoomLog(RoomLog log) {
        this.log = log;
    }

    @Override
    public int partitions() {
        return log.partitions();
    }

    @Override
    public boolean outlivesItsProcess() {
        return log.outlivesItsProcess();
    }

    @Override
    public CompletionStage<Void> append(int partition, byte[] entry) {
        return log.append(partition, entry);
    }

    /** @param append as returned by the wrapped log; a subclass that returns its own stage overrides this method */
    @Override
    public void readBack(CompletionStage<Void> append) {
        log.readBack(append);
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
    public boolean isReachable() {
        return log.isReachable();
    }

    @Override
    public Runnable onStateChange(Runnable listener) {
        return log.onStateChange(listener);
    }

    @Override
    public void onFault(Consumer<String> listener) {
        log.onFault(listener);
    }

    @Override
    public void overdue(int partition) {
        log.overdue(partition);
    }

    @Override
    public void unanswered(int partition) {
        log.unanswered(partition);
    }

    @Override
    public CompletionStage<Boolean> renew(int partition) {
        return log.renew(partition);
    }

    @Override
    public void silent(int partition) {
        log.silent(partition);
    }

    @Override
    public Duration retryAfter() {
        return log.retryAfter();
    }

    @Override
    public void release(int partition, long offset) {
        log.release(partition, offset);
    }

    @Override
    public void close() {
        log.close();
    }
}

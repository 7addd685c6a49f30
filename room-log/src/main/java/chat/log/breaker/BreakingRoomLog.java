package chat.log.breaker;

import chat.log.LogUnavailable;
import chat.log.LogUnavailable.Outcome;
import chat.log.RoomLog;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A log behind a circuit breaker. Open: {@link State#DOWN}, however reachable the log is. Half open:
 * {@link State#PROBING}, and no more than the probes are let through. Reading is not broken: it does no harm.
 */
public final class BreakingRoomLog implements RoomLog {
    private final RoomLog log;
    private final LogBreaker breaker;
    private final LongSupplier nanoTime;

    /** @param nanoTime as {@link System#nanoTime} */
    public BreakingRoomLog(RoomLog log, LogBreaker breaker, LongSupplier nanoTime) {
        this.log = log;
        this.breaker = breaker;
        this.nanoTime = nanoTime;
        log.onFault(breaker::failed);
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
        if (!breaker.tryAcquire())
            return CompletableFuture.failedFuture(
                    new LogUnavailable(Outcome.NOT_WRITTEN, "the circuit breaker lets nothing through"));
        long begun = nanoTime.getAsLong();
        return log.append(partition, entry).whenComplete((unused, failure) -> {
            if (failure == null) breaker.succeeded(nanoTime.getAsLong() - begun);
            else breaker.released();
        });
    }

    @Override
    public Tail tail(int partition, Start start, TailHandler handler) {
        return log.tail(partition, start, handler);
    }

    @Override
    public State state() {
        State state = log.state();
        if (state != State.UP) return state;
        return switch (breaker.stateOfReachableLog()) {
            case CLOSED -> State.UP;
            case HALF_OPEN -> State.PROBING;
            case OPEN -> State.DOWN;
        };
    }

    @Override
    public void onStateChange(Runnable listener) {
        log.onStateChange(listener);
        breaker.onChange(listener);
    }

    @Override
    public void onFault(Consumer<String> listener) {
        log.onFault(listener);
    }

    @Override
    public void overdue(int partition) {
        log.overdue(partition);
        breaker.failed("an entry was not read back in time");
    }

    @Override
    public Duration retryAfter() {
        return breaker.remainingWait();
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

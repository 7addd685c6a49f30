package chat.log.breaker;

import chat.log.ForwardingRoomLog;
import chat.log.LogUnavailable;
import chat.log.LogUnavailable.Outcome;
import chat.log.RoomLog;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * A log behind a circuit breaker. Open: {@link State#DOWN}, however reachable the log is. Half open:
 * {@link State#PROBING}, and no more than the probes are let through. Reading is not broken: it does no harm.
 */
public final class BreakingRoomLog extends ForwardingRoomLog {
    private final LogBreaker breaker;
    private final LongSupplier nanoTime;

    /** @param nanoTime as {@link System#nanoTime} */
    public BreakingRoomLog(RoomLog log, LogBreaker breaker, LongSupplier nanoTime) {
        super(log);
        this.breaker = breaker;
        this.nanoTime = nanoTime;
        log.onFault(breaker::failed);
    }

    @Override
    public CompletionStage<Void> append(int partition, byte[] entry) {
        if (!breaker.tryAcquire())
            return CompletableFuture.failedFuture(
                    new LogUnavailable(Outcome.NOT_WRITTEN, "the circuit breaker lets nothing through"));
        long begun = nanoTime.getAsLong();
        return super.append(partition, entry).whenComplete((unused, failure) -> {
            if (failure == null) breaker.succeeded(nanoTime.getAsLong() - begun);
            else breaker.released();
        });
    }

    @Override
    public State state() {
        State state = super.state();
        if (state != State.UP) return state;
        return switch (breaker.stateOfReachableLog()) {
            case CLOSED -> State.UP;
            case HALF_OPEN -> State.PROBING;
            case OPEN -> State.DOWN;
        };
    }

    @Override
    public Runnable onStateChange(Runnable listener) {
        Runnable log = super.onStateChange(listener);
        Runnable breaker = this.breaker.onChange(listener);
        return () -> {
            log.run();
            breaker.run();
        };
    }

    @Override
    public void overdue(int partition) {
        super.overdue(partition);
        breaker.failed("an entry was not read back in time");
    }

    @Override
    public Duration retryAfter() {
        return breaker.remainingWait();
    }
}

package chat.log.breaker;

import chat.log.ForwardingRoomLog;
import chat.log.LogUnavailable;
import chat.log.LogUnavailable.Outcome;
import chat.log.RoomLog;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A log behind a circuit breaker. Open: {@link State#DOWN}, however reachable the log is. Half open:
 * {@link State#PROBING}, and no more than the probes are let through. Reading is not broken: it does no harm.
 */
public final class BreakingRoomLog extends ForwardingRoomLog {
    private final LogBreaker breaker;

    /** What became of an entry, as the log says it; the breaker is told once, by whoever knows first. */
    private final class Append extends CompletableFuture<Void> {
        private final LogBreaker.Permit permit;
        private final AtomicBoolean told = new AtomicBoolean();

        Append(LogBreaker.Permit permit) {
            this.permit = permit;
        }

        void tell(boolean succeeded) {
            if (!told.compareAndSet(false, true)) return;
            if (succeeded) breaker.succeeded(permit);
            else breaker.released(permit);
        }
    }

    public BreakingRoomLog(RoomLog log, LogBreaker breaker) {
        super(log);
        this.breaker = breaker;
        log.onFault(breaker::failed);
    }

    @Override
    public CompletionStage<Void> append(int partition, byte[] entry) {
        LogBreaker.Permit permit = breaker.tryAcquire();
        if (permit == null)
            return CompletableFuture.failedFuture(
                    new LogUnavailable(Outcome.NOT_WRITTEN, "the circuit breaker lets nothing through"));
        Append append = new Append(permit);
        super.append(partition, entry).whenComplete((unused, failure) -> {
            append.tell(failure == null);
            if (failure == null) append.complete(null);
            else append.completeExceptionally(failure);
        });
        return append;
    }

    @Override
    public void readBack(CompletionStage<Void> append) {
        if (append instanceof Append one) one.tell(true);
    }

    @Override
    public State state() {
        State state = super.state();
        if (state != State.UP) {
            breaker.pause();
            return state;
        }
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
        // What blocks says so: that is no fault.
        if (super.state() != State.BLOCKED) breaker.failed("an entry was not read back in time");
    }

    @Override
    public Duration retryAfter() {
        return breaker.remainingWait();
    }
}

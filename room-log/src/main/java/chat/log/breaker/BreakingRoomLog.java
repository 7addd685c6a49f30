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
 * Puts a circuit breaker around a log. While the breaker is open, the state is {@link State#DOWN} even if the log can
 * be reached. While it is half open, the state is {@link State#PROBING} and only the probes are let through. Reading is
 * not affected.
 */
public final class BreakingRoomLog extends ForwardingRoomLog {
    private final LogBreaker breaker;

    /** The outcome of one append; the breaker gets it once, from the confirm or from reading the entry back. */
    private final class Append extends CompletableFuture<Void> {
        private final LogBreaker.Permit permit;
        private final AtomicBoolean reported = new AtomicBoolean();

        Append(LogBreaker.Permit permit) {
            this.permit = permit;
        }

        void report(boolean succeeded) {
            if (!reported.compareAndSet(false, true)) return;
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
                    new LogUnavailable(Outcome.NOT_WRITTEN, "the circuit breaker rejects entries"));
        Append append = new Append(permit);
        super.append(partition, entry).whenComplete((unused, failure) -> {
            append.report(failure == null);
            if (failure == null) append.complete(null);
            else append.completeExceptionally(failure);
        });
        return append;
    }

    @Override
    public void readBack(CompletionStage<Void> append) {
        if (append instanceof Append one) one.report(true);
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
        // A blocked log leaves entries unanswered without being faulty.
        if (super.state() != State.BLOCKED) breaker.failed("an entry was not read back in time");
    }

    @Override
    public Duration retryAfter() {
        return breaker.remainingWait();
    }
}

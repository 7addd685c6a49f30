package chat.log.breaker;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The breaker of one server. So many failures in a row open it; after a while, and as soon as the log can be reached, it
 * is half open: so many probes answered in a row close it, one that fails opens it again. It needs no thread: what is
 * due is done when somebody asks for the state, as every partition does four times a second. Thread-safe.
 */
public final class LogBreaker {
    private static final Logger logger = LoggerFactory.getLogger(LogBreaker.class);

    /** The standard states. */
    public enum State {
        CLOSED,
        OPEN,
        HALF_OPEN
    }

    private final BreakerSettings settings;
    private final LongSupplier nanoTime;
    private final CircuitBreaker breaker;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final LongAdder opened = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder notPermitted = new LongAdder();

    private volatile long openedNanos;
    /** How often it has been half open. */
    private int halfOpenings;
    /** Entries let through since it is half open, and not answered. */
    private int outstanding;
    /** Since when one of them is waited for: since the last answer, if there was any. */
    private long waitingSinceNanos;

    /** That an entry may be handed to the log, and when it was given. */
    record Permit(int halfOpenings) {}

    /** @param nanoTime as {@link System#nanoTime} */
    public LogBreaker(BreakerSettings settings, LongSupplier nanoTime) {
        this.settings = settings;
        this.nanoTime = nanoTime;
        // A window of the last n with a threshold of all of them: n failures in a row. The library's own clock must not
        // end the wait: it is measured here, where a clock that is set does no harm, and depends on the log, too.
        this.breaker = CircuitBreaker.of(
                "log",
                CircuitBreakerConfig.custom()
                        .slidingWindowType(SlidingWindowType.COUNT_BASED)
                        .slidingWindowSize(settings.failures())
                        .minimumNumberOfCalls(settings.failures())
                        .failureRateThreshold(100)
                        .permittedNumberOfCallsInHalfOpenState(settings.probes())
                        .waitDurationInOpenState(Duration.ofDays(36_500))
                        .build());
    }

    /**
     * @param listener called at every change of the state, on the thread that causes it: must not block
     * @return ends that
     */
    Runnable onChange(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** Any thread. */
    public State state() {
        return switch (breaker.getState()) {
            case OPEN, FORCED_OPEN -> State.OPEN;
            case HALF_OPEN -> State.HALF_OPEN;
            case CLOSED, DISABLED, METRICS_ONLY -> State.CLOSED;
        };
    }

    /** How often it has opened. */
    public long opened() {
        return opened.sum();
    }

    /** Failures that it has been told of. */
    public long failures() {
        return failures.sum();
    }

    /** Entries that it did not let through. */
    public long notPermitted() {
        return notPermitted.sum();
    }

    /** What is left of the time that it stays open at least; nothing where it is not open. */
    Duration remainingWait() {
        if (state() != State.OPEN) return Duration.ZERO;
        long left = settings.open().toNanos() - (nanoTime.getAsLong() - openedNanos);
        return left <= 0 ? Duration.ZERO : Duration.ofNanos(left);
    }

    /** The log can be reached: an open breaker becomes half open if its time is over, and open again without answers. */
    State stateOfReachableLog() {
        State before = state();
        if (before == State.CLOSED) return before;
        synchronized (breaker) {
            if (state() == State.OPEN && remainingWait().isZero()) {
                halfOpenings++;
                outstanding = 0;
                breaker.transitionToHalfOpenState();
            } else if (state() == State.HALF_OPEN
                    && outstanding > 0
                    && nanoTime.getAsLong() - waitingSinceNanos
                            > settings.probeTimeout().toNanos()) {
                open("the probes are not answered");
            }
        }
        return tell(before);
    }

    /** The log cannot be used now, and so cannot answer. */
    void pause() {
        synchronized (breaker) {
            waitingSinceNanos = nanoTime.getAsLong();
        }
    }

    /** That an entry may be handed to the log now, which must be followed by one of the two below; null: it may not. */
    @Nullable
    Permit tryAcquire() {
        synchronized (breaker) {
            if (!breaker.tryAcquirePermission()) {
                notPermitted.increment();
                return null;
            }
            if (outstanding++ == 0) waitingSinceNanos = nanoTime.getAsLong();
            return new Permit(halfOpenings);
        }
    }

    /** The entry was confirmed, or read back, which says as much. */
    void succeeded(Permit permit) {
        State before;
        synchronized (breaker) {
            before = state();
            answered(permit);
            // However late: the library would take slow successes for failures.
            breaker.onSuccess(0, TimeUnit.NANOSECONDS);
        }
        tell(before);
    }

    /** The entry failed because of something that {@link #failed} is told of, or that is nobody's fault. */
    void released(Permit permit) {
        synchronized (breaker) {
            answered(permit);
            breaker.releasePermission();
        }
    }

    private void answered(Permit permit) {
        if (permit.halfOpenings != halfOpenings) return;
        outstanding--;
        waitingSinceNanos = nanoTime.getAsLong();
    }

    /** Something failed. */
    void failed(String what) {
        failures.increment();
        State before;
        synchronized (breaker) {
            before = state();
            // One probe that fails is enough; the library would judge when all of them have been answered.
            if (before == State.HALF_OPEN) open(what);
            else breaker.onError(0, TimeUnit.NANOSECONDS, new Failure(what));
            if (before == State.CLOSED && state() == State.OPEN)
                opens(settings.failures() + " failures, the last: " + what);
        }
        tell(before);
    }

    private void open(String why) {
        breaker.transitionToOpenState();
        opens(why);
    }

    private void opens(String why) {
        openedNanos = nanoTime.getAsLong();
        opened.increment();
        logger.warn("the log's circuit breaker opens for {}: {}", settings.open(), why);
    }

    private State tell(State before) {
        State now = state();
        if (now == before) return now;
        if (now == State.CLOSED) logger.info("the log's circuit breaker is closed");
        listeners.forEach(Runnable::run);
        return now;
    }

    /** What the library wants to be told; made for its message only. */
    private static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failure(String what) {
            super(what, null, false, false);
        }
    }
}

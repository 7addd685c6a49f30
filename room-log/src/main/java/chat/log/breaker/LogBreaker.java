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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The breaker of one server. So many failures in a row open it; after a while, and as soon as the log can be reached, it
 * is half open: so many probes confirmed in a row close it, one that fails opens it again. It needs no thread: what is
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
    private boolean probed;
    private long firstProbeNanos;

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
                probed = false;
                breaker.transitionToHalfOpenState();
            } else if (state() == State.HALF_OPEN
                    && probed
                    && nanoTime.getAsLong() - firstProbeNanos
                            > settings.probeTimeout().toNanos()) {
                open("the probes are not answered");
            }
        }
        return tell(before);
    }

    /** Whether an entry may be handed to the log now; it must be followed by one of the three below. */
    boolean tryAcquire() {
        synchronized (breaker) {
            boolean permitted = breaker.tryAcquirePermission();
            if (!permitted) {
                notPermitted.increment();
            } else if (!probed && state() == State.HALF_OPEN) {
                probed = true;
                firstProbeNanos = nanoTime.getAsLong();
            }
            return permitted;
        }
    }

    /** An entry was confirmed. */
    void succeeded(long nanos) {
        State before;
        synchronized (breaker) {
            before = state();
            breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
        }
        tell(before);
    }

    /** An entry failed because of something that {@link #failed} is told of, or that is nobody's fault. */
    void released() {
        breaker.releasePermission();
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

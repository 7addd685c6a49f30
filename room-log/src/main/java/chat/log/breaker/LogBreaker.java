package chat.log.breaker;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The circuit breaker of one server. A number of consecutive failures opens it. After a minimum time, and as soon as
 * the log can be reached, it is half open: a number of consecutive successes closes it, and one failure opens it again.
 * It has no thread: transitions that are due happen when its state is requested, as every partition does four times a
 * second. Thread-safe.
 */
public final class LogBreaker {
    private static final Logger logger = LoggerFactory.getLogger(LogBreaker.class);

    /** The standard states of a circuit breaker. */
    public enum State {
        CLOSED,
        OPEN,
        HALF_OPEN
    }

    private final BreakerSettings settings;
    private final LongSupplier nanoTime;
    private final Object lock = new Object();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final LongAdder opened = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder notPermitted = new LongAdder();

    private volatile State state = State.CLOSED;
    private volatile long openedNanos;
    /** Closed: failures since the last success. */
    private int consecutiveFailures;
    /** Half open: entries that may still be let through. */
    private int probesLeft;
    /** Half open: successes so far. */
    private int probesSucceeded;
    /** How often it has been half open. */
    private int halfOpenings;
    /** Entries let through since it is half open that are not answered. */
    private int outstanding;
    /** Start of the wait for an answer to one of them: the last answer, if there was any. */
    private long waitingSinceNanos;

    /**
     * Permission to append one entry.
     *
     * @param halfOpenings how often the breaker had been half open when it was given
     */
    record Permit(int halfOpenings) {}

    /** @param nanoTime as {@link System#nanoTime} */
    public LogBreaker(BreakerSettings settings, LongSupplier nanoTime) {
        this.settings = settings;
        this.nanoTime = nanoTime;
    }

    /**
     * @param listener called at every change of the state, on the thread that causes it: must not block
     * @return removes the listener
     */
    Runnable onChange(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** Any thread. */
    public State state() {
        return state;
    }

    /** How often it has opened. */
    public long opened() {
        return opened.sum();
    }

    /** Failures reported to it. */
    public long failures() {
        return failures.sum();
    }

    /** Entries that it rejected. */
    public long notPermitted() {
        return notPermitted.sum();
    }

    /** The rest of the minimum time that it stays open; zero if it is not open. */
    Duration remainingWait() {
        if (state != State.OPEN) return Duration.ZERO;
        long left = settings.open().toNanos() - (nanoTime.getAsLong() - openedNanos);
        return left <= 0 ? Duration.ZERO : Duration.ofNanos(left);
    }

    /**
     * Returns the state, for a caller that can reach the log: an open breaker becomes half open if its time is over,
     * and a half-open one opens again if its probes are not answered in time.
     */
    State stateOfReachableLog() {
        State before = state;
        if (before == State.CLOSED) return before;
        synchronized (lock) {
            if (state == State.OPEN && remainingWait().isZero()) {
                halfOpenings++;
                outstanding = 0;
                probesLeft = settings.probes();
                probesSucceeded = 0;
                state = State.HALF_OPEN;
            } else if (state == State.HALF_OPEN
                    && outstanding > 0
                    && nanoTime.getAsLong() - waitingSinceNanos
                            > settings.probeTimeout().toNanos()) {
                open("no probe was answered within " + settings.probeTimeout());
            }
        }
        return notifyAfter(before);
    }

    /** The log cannot be used now, so the timeout of the probes does not run. */
    void pause() {
        synchronized (lock) {
            waitingSinceNanos = nanoTime.getAsLong();
        }
    }

    /**
     * Asks to append one entry; every permit is followed by {@link #succeeded} or {@link #released}. Null: rejected.
     */
    @Nullable
    Permit tryAcquire() {
        synchronized (lock) {
            if (state == State.OPEN || (state == State.HALF_OPEN && probesLeft == 0)) {
                notPermitted.increment();
                return null;
            }
            if (state == State.HALF_OPEN) probesLeft--;
            if (outstanding++ == 0) waitingSinceNanos = nanoTime.getAsLong();
            return new Permit(halfOpenings);
        }
    }

    /** The entry was confirmed or read back, however late. */
    void succeeded(Permit permit) {
        State before;
        synchronized (lock) {
            before = state;
            answered(permit);
            consecutiveFailures = 0;
            // An entry from before it opened counts, too: the log has stored it.
            if (state == State.HALF_OPEN && ++probesSucceeded == settings.probes()) state = State.CLOSED;
        }
        notifyAfter(before);
    }

    /** The entry failed; the cause is reported to {@link #failed}, or is no fault of the log. */
    void released(Permit permit) {
        synchronized (lock) {
            if (answered(permit) && state == State.HALF_OPEN) probesLeft++;
        }
    }

    /** Returns whether the permit was given since the breaker was last half open. */
    private boolean answered(Permit permit) {
        if (permit.halfOpenings != halfOpenings) return false;
        outstanding--;
        waitingSinceNanos = nanoTime.getAsLong();
        return true;
    }

    /** Something failed. */
    void failed(String what) {
        failures.increment();
        State before;
        synchronized (lock) {
            before = state;
            if (state == State.HALF_OPEN) open(what);
            else if (state == State.CLOSED && ++consecutiveFailures == settings.failures())
                open(settings.failures() + " consecutive failures, the last: " + what);
        }
        notifyAfter(before);
    }

    private void open(String why) {
        consecutiveFailures = 0;
        openedNanos = nanoTime.getAsLong();
        state = State.OPEN;
        opened.increment();
        logger.warn("The log's circuit breaker opened for at least {}: {}", settings.open(), why);
    }

    private State notifyAfter(State before) {
        State now = state;
        if (now == before) return now;
        if (now == State.CLOSED) logger.info("The log's circuit breaker closed");
        listeners.forEach(Runnable::run);
        return now;
    }
}

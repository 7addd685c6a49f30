package chat.persistence.store;

import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore;
import chat.persistence.batch.Mark;
import chat.persistence.batch.StoreUnavailable;
import chat.persistence.batch.StoredMark;
import chat.persistence.batch.UnstoredMessage;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts one circuit breaker before the store, for all partitions. Consecutive failures open it, so that the partitions
 * do not all retry against a database that is starting or overloaded. After the open time it lets one attempt through
 * and closes if that succeeds. A rejected call fails with the message of the last failure. Thread-safe.
 */
public final class BreakingStore implements BatchStore {
    /** The standard states. */
    public enum State {
        CLOSED,
        OPEN,
        HALF_OPEN
    }

    private interface Call<T> {
        T run() throws StoreUnavailable;
    }

    private final BatchStore store;
    private final CircuitBreaker breaker;
    private final LongSupplier nanoTime;
    private final long openNanos;
    private final LongAdder opened = new LongAdder();
    private final LongAdder notPermitted = new LongAdder();
    private long openedNanos;
    private volatile @Nullable StoreUnavailable last;

    /** @param nanoTime as {@link System#nanoTime} */
    public BreakingStore(BatchStore store, BreakerProperties properties, MeterRegistry meters, LongSupplier nanoTime) {
        this.store = store;
        this.nanoTime = nanoTime;
        this.openNanos = properties.open().toNanos();
        // The library measures its open time by the wall clock, which can be set; this class uses a monotonic clock.
        this.breaker = CircuitBreaker.of(
                "postgres",
                CircuitBreakerConfig.custom()
                        .slidingWindowType(SlidingWindowType.COUNT_BASED)
                        .slidingWindowSize(properties.failures())
                        .minimumNumberOfCalls(properties.failures())
                        .failureRateThreshold(100)
                        .permittedNumberOfCallsInHalfOpenState(1)
                        .waitDurationInOpenState(Duration.ofDays(36_500))
                        .build());
        breaker.getEventPublisher().onStateTransition(event -> {
            if (event.getStateTransition().getToState() == CircuitBreaker.State.OPEN) {
                openedNanos = nanoTime.getAsLong();
                opened.increment();
            }
        });
        for (State state : State.values())
            Gauge.builder("persistence.breaker", () -> state() == state ? 1 : 0)
                    .description("1 for the state of the breaker before PostgreSQL")
                    .tag("state", state.name())
                    .strongReference(true)
                    .register(meters);
        FunctionCounter.builder("persistence.breaker.opened", opened, LongAdder::sum)
                .description("How often the breaker opened")
                .register(meters);
        FunctionCounter.builder("persistence.breaker.not.permitted", notPermitted, LongAdder::sum)
                .description("Attempts rejected by the breaker")
                .register(meters);
    }

    /** Any thread. */
    public State state() {
        return switch (breaker.getState()) {
            case OPEN, FORCED_OPEN -> State.OPEN;
            case HALF_OPEN -> State.HALF_OPEN;
            case CLOSED, DISABLED, METRICS_ONLY -> State.CLOSED;
        };
    }

    @Override
    public void prepare() throws StoreUnavailable {
        Object unused = through(() -> {
            store.prepare();
            return this;
        });
    }

    @Override
    public Optional<StoredMark> position(int partition) throws StoreUnavailable {
        return through(() -> store.position(partition));
    }

    @Override
    public List<UnstoredMessage> notStored(int partition, long after, int limit) throws StoreUnavailable {
        return through(() -> store.notStored(partition, after, limit));
    }

    @Override
    public Outcome write(Batch batch, @Nullable Mark previous, boolean again) throws StoreUnavailable {
        return through(() -> store.write(batch, previous, again));
    }

    private <T> T through(Call<T> call) throws StoreUnavailable {
        if (!acquire()) {
            notPermitted.increment();
            StoreUnavailable why = last;
            throw why == null
                    ? new StoreUnavailable(
                            "the circuit breaker before PostgreSQL is open", new IllegalStateException("open"))
                    : new StoreUnavailable(String.valueOf(why.getMessage()), why);
        }
        boolean settled = false;
        try {
            T result = call.run();
            settle(null);
            settled = true;
            return result;
        } catch (StoreUnavailable failed) {
            settle(failed);
            settled = true;
            throw failed;
        } finally {
            // A bug says nothing about PostgreSQL and must not use up the one attempt.
            if (!settled) breaker.releasePermission();
        }
    }

    private synchronized boolean acquire() {
        if (breaker.getState() == CircuitBreaker.State.OPEN && nanoTime.getAsLong() - openedNanos >= openNanos)
            breaker.transitionToHalfOpenState();
        return breaker.tryAcquirePermission();
    }

    private synchronized void settle(@Nullable StoreUnavailable failure) {
        if (failure == null) {
            breaker.onSuccess(0, TimeUnit.NANOSECONDS);
        } else {
            last = failure;
            breaker.onError(0, TimeUnit.NANOSECONDS, failure);
        }
    }
}

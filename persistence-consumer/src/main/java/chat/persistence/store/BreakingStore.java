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
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
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

    /** Consecutive failures that open it: one lost connection of each of a few partitions does not. */
    private static final int FAILURES = 5;
    /** Time it stays open: a restarted PostgreSQL is used again within seconds. */
    private static final Duration OPEN = Duration.ofSeconds(2);

    private interface Call<T> {
        T run() throws StoreUnavailable;
    }

    private final BatchStore store;
    private final CircuitBreaker breaker;
    private final LongAdder opened = new LongAdder();
    private final LongAdder notPermitted = new LongAdder();
    private volatile @Nullable StoreUnavailable last;

    public BreakingStore(BatchStore store, MeterRegistry meters) {
        this(store, FAILURES, OPEN, meters, System::nanoTime);
    }

    /**
     * @param failures consecutive failures that open it, at least 1
     * @param open minimum time it stays open; then one attempt decides
     * @param nanoTime as {@link System#nanoTime}
     */
    public BreakingStore(BatchStore store, int failures, Duration open, MeterRegistry meters, LongSupplier nanoTime) {
        this.store = store;
        this.breaker = CircuitBreaker.of(
                "postgres",
                CircuitBreakerConfig.custom()
                        .slidingWindowType(SlidingWindowType.COUNT_BASED)
                        .slidingWindowSize(failures)
                        .minimumNumberOfCalls(failures)
                        .failureRateThreshold(100)
                        .permittedNumberOfCallsInHalfOpenState(1)
                        .waitDurationInOpenState(open)
                        .clock(new MonotonicClock(nanoTime))
                        .build());
        breaker.getEventPublisher().onStateTransition(event -> {
            if (event.getStateTransition().getToState() == CircuitBreaker.State.OPEN) opened.increment();
        });
        for (State state : State.values())
            Gauge.builder("persistence.breaker", () -> state() == state ? 1 : 0)
                    .description("1 for the current state of the circuit breaker before PostgreSQL, 0 for all others")
                    .tag("state", state.name())
                    .strongReference(true)
                    .register(meters);
        FunctionCounter.builder("persistence.breaker.opened", opened, LongAdder::sum)
                .description("Times that the circuit breaker before PostgreSQL opened")
                .register(meters);
        FunctionCounter.builder("persistence.breaker.not.permitted", notPermitted, LongAdder::sum)
                .description("Database calls rejected by the circuit breaker before PostgreSQL")
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
        if (!breaker.tryAcquirePermission()) {
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
            breaker.onSuccess(0, TimeUnit.NANOSECONDS);
            settled = true;
            return result;
        } catch (StoreUnavailable failed) {
            last = failed;
            breaker.onError(0, TimeUnit.NANOSECONDS, failed);
            settled = true;
            throw failed;
        } finally {
            // A bug says nothing about PostgreSQL and must not use up the one attempt.
            if (!settled) breaker.releasePermission();
        }
    }

    /** Makes the open time independent of changes to the wall clock. */
    private static final class MonotonicClock extends Clock {
        private final LongSupplier nanoTime;

        MonotonicClock(LongSupplier nanoTime) {
            this.nanoTime = nanoTime;
        }

        @Override
        public Instant instant() {
            return Instant.EPOCH.plusNanos(nanoTime.getAsLong());
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}

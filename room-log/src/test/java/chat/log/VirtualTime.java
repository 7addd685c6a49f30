package chat.log;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Virtual time that jumps from step to step, reproducibly for the same seed. Everything runs on the thread that calls
 * {@link #pass}.
 */
final class VirtualTime {
    private static final Instant BEGIN = Instant.parse("2026-11-20T10:00:00Z");
    private static final long MAX_HAND_OVER_NANOS = 50_000;

    private final Random random;
    private final PriorityQueue<Step> steps = new PriorityQueue<>();
    private long now;
    private long numbers;

    VirtualTime(Random random) {
        this.random = random;
    }

    private record Step(long at, long number, Runnable what) implements Comparable<Step> {
        @Override
        public int compareTo(Step other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
        }
    }

    /** Nanoseconds since the start. */
    long nanoTime() {
        return now;
    }

    int waitingSteps() {
        return steps.size();
    }

    void at(long nanos, Runnable what) {
        steps.add(new Step(Math.max(now, nanos), numbers++, what));
    }

    void in(Duration delay, Runnable what) {
        at(now + delay.toNanos(), what);
    }

    /** Runs all steps that are due in this time. */
    void pass(Duration time) {
        long until = now + time.toNanos();
        Step next;
        while ((next = steps.peek()) != null && next.at <= until) {
            steps.remove();
            now = Math.max(now, next.at);
            next.what.run();
        }
        now = until;
    }

    /** Lets time pass without running steps, as when a process is stopped; they run afterwards. */
    void standStill(Duration time) {
        now += time.toNanos();
    }

    Clock clock() {
        return new Clock() {
            @Override
            public Instant instant() {
                return BEGIN.plusNanos(now);
            }

            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }
        };
    }

    /** A simulated thread that runs its steps in order, sometimes a little late. */
    ScheduledExecutorService thread() {
        return new VirtualThread();
    }

    private final class VirtualThread extends AbstractExecutorService implements ScheduledExecutorService {
        private long busyUntil;

        @Override
        public void execute(Runnable step) {
            busyUntil = Math.max(busyUntil, now + random.nextLong(MAX_HAND_OVER_NANOS));
            at(busyUntil, step);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable step, long delay, TimeUnit unit) {
            return new Scheduled(step, now + unit.toNanos(delay), 0);
        }

        @Override
        public <V> ScheduledFuture<V> schedule(Callable<V> step, long delay, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(Runnable step, long first, long period, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable step, long first, long delay, TimeUnit unit) {
            return new Scheduled(step, now + unit.toNanos(first), unit.toNanos(delay));
        }

        @Override
        public void shutdown() {}

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }

    private final class Scheduled extends FutureTask<Void> implements ScheduledFuture<Void> {
        private final long periodNanos;
        private long due;

        /** @param periodNanos 0: once */
        Scheduled(Runnable step, long due, long periodNanos) {
            super(step, null);
            this.due = due;
            this.periodNanos = periodNanos;
            at(due, this::step);
        }

        private void step() {
            if (isCancelled()) return;
            if (periodNanos == 0) {
                run();
                return;
            }
            runAndReset();
            due = now + periodNanos;
            at(due, this::step);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(due - now, TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}

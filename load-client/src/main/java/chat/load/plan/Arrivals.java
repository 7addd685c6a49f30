package chat.load.plan;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says when connections begin and end, as a pure function of their number, counted from 0. */
public sealed interface Arrivals {
    long NEVER = Long.MAX_VALUE;

    /** Nanoseconds after the beginning; {@link #NEVER} for a client that never connects. */
    long arrivesNanos(int client);

    /** Nanoseconds after the beginning; {@link #NEVER} for a client that stays. */
    long leavesNanos(int client);

    /** When all connections have ended by themselves; null if they do not. */
    @Nullable
    Duration end();

    /** Connections arrive one after the other at a steady rate, and all stay. */
    record Ramp(Pacing.Rate rate) implements Arrivals {
        public static final Ramp DEFAULT = new Ramp(new Pacing.Rate(1000));

        @Override
        public long arrivesNanos(int client) {
            return rate.dueNanos(client);
        }

        @Override
        public long leavesNanos(int client) {
            return NEVER;
        }

        @Override
        public @Nullable Duration end() {
            return null;
        }
    }

    /**
     * The number of connections follows straight lines from one target to the next, starting at 0; the last to arrive
     * leaves first. Each client connects only once, when the line first reaches it, and leaves when the line has
     * passed it for the last time. A client therefore stays through a dip after which it would return.
     *
     * @see <a href="https://grafana.com/docs/k6/latest/using-k6/scenarios/executors/ramping-vus/">k6's stages</a>
     */
    record Stages(List<Stage> stages) implements Arrivals {
        public Stages {
            stages = List.copyOf(stages);
            if (stages.isEmpty()) throw new IllegalArgumentException("there must be at least one stage");
        }

        /** Moves from the previous target to {@code target} within {@code length}. */
        public record Stage(Duration length, int target) {
            public Stage {
                if (length.isNegative() || length.isZero())
                    throw new IllegalArgumentException("a stage must last longer than 0");
                if (target < 0) throw new IllegalArgumentException("a stage's target must not be negative");
            }
        }

        @Override
        public long arrivesNanos(int client) {
            double begin = 0;
            int before = 0;
            for (Stage stage : stages) {
                double length = stage.length().toNanos();
                if (stage.target() > client)
                    return (long) (begin + length * (client - before) / (stage.target() - before));
                begin += length;
                before = stage.target();
            }
            return NEVER;
        }

        @Override
        public long leavesNanos(int client) {
            double begin = 0;
            int before = 0;
            double leaves = NEVER;
            for (Stage stage : stages) {
                double length = stage.length().toNanos();
                if (before > client && stage.target() <= client)
                    leaves = begin + length * (before - client) / (before - stage.target());
                else if (stage.target() > client && before <= client) leaves = NEVER;
                begin += length;
                before = stage.target();
            }
            return leaves >= NEVER ? NEVER : (long) leaves;
        }

        @Override
        public Duration end() {
            return stages.stream().map(Stage::length).reduce(Duration.ZERO, Duration::plus);
        }

        /** The highest target. */
        public int peak() {
            return stages.stream().mapToInt(Stage::target).max().orElse(0);
        }
    }
}

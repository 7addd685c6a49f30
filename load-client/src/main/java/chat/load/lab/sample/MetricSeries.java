package chat.load.lab.sample;

import java.util.List;

/** How a series follows from what a program's metrics endpoint says. */
sealed interface MetricSeries {
    /** Whose series it is. */
    enum Owner {
        /** The program's that was asked. */
        PROGRAM,
        CONSUMER,
        BROKER
    }

    Owner owner();

    /** The part of the series' name after the owner. */
    String metric();

    List<Selector> selectors();

    /** The sum of the values, as they are. */
    record Sum(Owner owner, String metric, Selector of) implements MetricSeries {
        @Override
        public List<Selector> selectors() {
            return List.of(of);
        }
    }

    /** The largest of the values, times a factor. */
    record Largest(Owner owner, String metric, Selector of, double factor) implements MetricSeries {
        @Override
        public List<Selector> selectors() {
            return List.of(of);
        }
    }

    /** The growth of their sum per second, times a factor. */
    record Rate(Owner owner, String metric, Selector of, double factor) implements MetricSeries {
        @Override
        public List<Selector> selectors() {
            return List.of(of);
        }
    }

    /** The growth of one sum for each that another grew by, times a factor. */
    record Mean(Owner owner, String metric, Selector of, Selector per, double factor) implements MetricSeries {
        @Override
        public List<Selector> selectors() {
            return List.of(of, per);
        }
    }

    /** A share of a sum. */
    record Share(Owner owner, String metric, Selector share, Selector of) implements MetricSeries {
        @Override
        public List<Selector> selectors() {
            return List.of(share, of);
        }
    }
}

package chat.load.lab.sample;

import java.util.List;

/** Defines how a series is calculated from a program's metrics. */
sealed interface MetricSeries {
    /** The program that a series belongs to. */
    enum Owner {
        /** The scraped program. */
        PROGRAM,
        CONSUMER,
        BROKER
    }

    Owner owner();

    /** Part of the series' name after the owner. */
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

    /** The growth of one sum divided by the growth of another, times a factor. */
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

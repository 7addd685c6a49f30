package chat.load.plan;

/** Limits how fast operations start, as a pure function of elapsed time and completed operations. */
public sealed interface Pacing {
    /**
     * @param elapsedNanos since the beginning
     * @param completed number of started operations that are done
     * @return total number of operations that may have started by now
     */
    long permitted(long elapsedNanos, long completed);

    /** Closed loop: at most {@code size} operations started and not done. */
    record Window(int size) implements Pacing {
        public Window {
            if (size < 1) throw new IllegalArgumentException("the window must be at least 1");
        }

        @Override
        public long permitted(long elapsedNanos, long completed) {
            return completed + size;
        }
    }

    /** Open loop: evenly spaced from time 0, independent of earlier operations. */
    record Rate(double perSecond) implements Pacing {
        private static final double NANOS_PER_SECOND = 1e9;

        public Rate {
            if (!(perSecond > 0) || perSecond > 1e9)
                throw new IllegalArgumentException("a rate must be above 0 and at most 1e9 per second");
        }

        @Override
        public long permitted(long elapsedNanos, long completed) {
            return elapsedNanos < 0 ? 0 : 1 + (long) (elapsedNanos * perSecond / NANOS_PER_SECOND);
        }

        /**
         * @param index counted from 0
         * @return intended start, after the beginning
         */
        public long dueNanos(long index) {
            return (long) Math.ceil(index * NANOS_PER_SECOND / perSecond);
        }
    }
}

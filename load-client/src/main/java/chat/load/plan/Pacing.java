package chat.load.plan;

/** How fast things may be started: a pure function of time and of what is done, which knows no clock. */
public sealed interface Pacing {
    /**
     * @param elapsedNanos since the beginning
     * @param completed how many of those started are done
     * @return how many may have been started in all by now
     */
    long permitted(long elapsedNanos, long completed);

    /** Closed loop: at most {@code size} started and not done. */
    record Window(int size) implements Pacing {
        public Window {
            if (size < 1) throw new IllegalArgumentException("the window must be at least 1");
        }

        @Override
        public long permitted(long elapsedNanos, long completed) {
            return completed + size;
        }
    }

    /** Open loop: evenly spaced, the first at once, whatever has become of the earlier ones. */
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
         * @return when it is meant to start, after the beginning
         */
        public long dueNanos(long index) {
            return (long) Math.ceil(index * NANOS_PER_SECOND / perSecond);
        }
    }
}

package chat.launcher;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Something that is done to a platform under load, and what has to hold of it.
 *
 * @param name of the step, as people type it
 * @param what for people
 */
record Fault(String name, String what, Act act, List<Bound> bounds) {
    /** @param step is called, in lower case, as the fault is */
    static Fault of(Enum<?> step, String what, Act act, List<Bound> bounds) {
        return new Fault(step.name().toLowerCase(Locale.ROOT), what, act, bounds);
    }

    /** What is done. */
    interface Act {
        /**
         * Returns when what was taken away is there again.
         *
         * @return what was not as it has to be meanwhile, for people
         */
        List<String> run() throws InterruptedException;
    }

    /**
     * @param what has to hold, for people
     * @param holds of a finished step
     */
    record Bound(String what, Predicate<Drill.Outcome> holds) {
        /**
         * @param what the time is called
         * @param of a finished step
         * @param most how long it may be
         */
        static Bound atMost(String what, Function<Drill.Outcome, Duration> of, Duration most) {
            return new Bound(
                    what + " at most " + most.toSeconds() + " s",
                    outcome -> of.apply(outcome).compareTo(most) <= 0);
        }
    }
}

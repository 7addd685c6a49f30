package chat.launcher;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Describes a fault for a platform under load, with the bounds that its outcome must keep.
 *
 * @param name name of the step, as people type it
 * @param what description, for people
 */
record Fault(String name, String what, Act act, List<Bound> bounds) {
    /** @param step its name in lower case is the name of the fault */
    static Fault of(Enum<?> step, String what, Act act, List<Bound> bounds) {
        return new Fault(step.name().toLowerCase(Locale.ROOT), what, act, bounds);
    }

    /** Injects the fault and ends it. */
    interface Act {
        /**
         * Returns when the affected programs run again.
         *
         * @return failed checks during the fault, for people
         */
        List<String> run() throws InterruptedException;
    }

    /**
     * Checks the outcome of a step.
     *
     * @param what the condition, for people
     * @param holds whether the condition holds for an outcome
     */
    record Bound(String what, Predicate<Drill.Outcome> holds) {
        /**
         * Returns a bound for a duration.
         *
         * @param what name of the duration, for people
         * @param of extracts the duration from an outcome
         * @param most maximum
         */
        static Bound atMost(String what, Function<Drill.Outcome, Duration> of, Duration most) {
            return new Bound(
                    what + " at most " + most.toSeconds() + " s",
                    outcome -> of.apply(outcome).compareTo(most) <= 0);
        }
    }
}

package chat.launcher.chaos;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds the result of all faults.
 *
 * @param complaints failed checks of the whole run, for people
 */
public record ChaosResult(
        Instant startedAt, long seed, int rate, int brokers, List<Outcome> outcomes, List<String> complaints) {
    /** A report that is read during the run must not look like a success. */
    private static final List<String> RUNNING = List.of("the run has not ended");

    /** Returns the result of a run that begins now. */
    public static ChaosResult begin(long seed, int rate, int brokers) {
        return new ChaosResult(Instant.now(), seed, rate, brokers, List.of(), RUNNING);
    }

    /** Returns this result with one more outcome. */
    public ChaosResult with(Outcome outcome) {
        List<Outcome> all = new ArrayList<>(outcomes);
        all.add(outcome);
        return new ChaosResult(startedAt, seed, rate, brokers, List.copyOf(all), complaints);
    }

    /** Returns the result of the whole run. */
    public ChaosResult end(List<String> failedChecks) {
        return new ChaosResult(startedAt, seed, rate, brokers, outcomes, List.copyOf(failedChecks));
    }

    /** Returns whether there were faults, and all of them and the checks of the whole run passed. */
    public boolean passed() {
        return !outcomes.isEmpty() && complaints.isEmpty() && outcomes.stream().allMatch(Outcome::passed);
    }

    Counts sums() {
        return outcomes.stream().map(Outcome::counts).reduce(Counts.NONE, Counts::plus);
    }
}

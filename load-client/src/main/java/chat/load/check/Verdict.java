package chat.load.check;

import java.util.ArrayList;
import java.util.List;

/**
 * What became of a run.
 *
 * @param recovered unknown to their senders, and stored
 * @param stored distinct ids of this run
 * @param expected deliveries: for each member the TEXTs it had to get while it was there, however it got them
 * @param received deliveries to members, doubles included, without what storage has filled a GAP with
 * @param missing of those expected
 * @param doubled of those received
 * @param outOfOrder deliveries and rows that stood where they should not, once for each order that they broke
 */
public record Verdict(
        long invoked,
        long accepted,
        long refused,
        long unknown,
        long recovered,
        long stored,
        long expected,
        long received,
        long missing,
        long doubled,
        long outOfOrder,
        List<Check> checks) {
    public boolean passed() {
        return checks.stream().noneMatch(check -> check.status() == Status.FAIL);
    }

    /** The same, and more checks after its own. */
    public Verdict and(List<Check> more) {
        List<Check> all = new ArrayList<>(checks);
        all.addAll(more);
        return new Verdict(
                invoked,
                accepted,
                refused,
                unknown,
                recovered,
                stored,
                expected,
                received,
                missing,
                doubled,
                outOfOrder,
                all);
    }

    public enum Status {
        PASS,
        FAIL,
        /** What it needs was not there, or was never promised. */
        SKIPPED
    }

    /**
     * One promise.
     *
     * @param count how often it was broken
     * @param examples a few of the breaches, in words; of what was skipped, why
     */
    public record Check(String name, Status status, long count, List<String> examples) {}
}

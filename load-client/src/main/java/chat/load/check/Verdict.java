package chat.load.check;

import java.util.ArrayList;
import java.util.List;

/**
 * What became of a run.
 *
 * @param recovered unknown to their senders, and stored
 * @param stored distinct ids of this run
 * @param received deliveries to members, doubles included
 */
public record Verdict(
        long invoked,
        long accepted,
        long refused,
        long unknown,
        long recovered,
        long stored,
        long received,
        List<Check> checks) {
    public boolean passed() {
        return checks.stream().noneMatch(check -> check.status() == Status.FAIL);
    }

    /** The same, and more checks after its own. */
    public Verdict and(List<Check> more) {
        List<Check> all = new ArrayList<>(checks);
        all.addAll(more);
        return new Verdict(invoked, accepted, refused, unknown, recovered, stored, received, all);
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

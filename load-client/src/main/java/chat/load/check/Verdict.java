package chat.load.check;

import java.util.ArrayList;
import java.util.List;

/**
 * Holds the result of checking a run.
 *
 * @param recovered stored TEXTs that were unknown to their senders
 * @param stored distinct ids of this run
 * @param expected deliveries: for each member the TEXTs it had to receive while present
 * @param received deliveries to members, duplicates included; messages from storage that fill a GAP do not count
 * @param lost accepted TEXTs that have no row
 * @param missing expected TEXTs that were not received
 * @param doubled duplicate deliveries and rows
 * @param phantom deliveries and rows that were never sent or were rejected, or have another text or sender
 * @param outOfOrder deliveries and rows out of order, once for each order they violate, and rows at other positions than
 *     their members saw
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
        long lost,
        long missing,
        long doubled,
        long phantom,
        long outOfOrder,
        List<Check> checks) {
    public boolean passed() {
        return checks.stream().noneMatch(check -> check.status() == Status.FAIL);
    }

    /** Returns this verdict with more checks appended. */
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
                lost,
                missing,
                doubled,
                phantom,
                outOfOrder,
                all);
    }

    public enum Status {
        PASS,
        FAIL,
        /** The check had no data, or the server does not promise it. */
        SKIPPED
    }

    /**
     * One check.
     *
     * @param count number of violations
     * @param examples some violations as text; for a skipped check, the reason
     */
    public record Check(String name, Status status, long count, List<String> examples) {}
}

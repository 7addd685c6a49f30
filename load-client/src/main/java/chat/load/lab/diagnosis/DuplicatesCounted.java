package chat.load.lab.diagnosis;

import chat.load.check.Verdict.Check;
import chat.load.check.Verdict.Status;
import chat.load.report.Samples;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Checks whether the platform counted exactly the duplicates that the load client sent. A chat server acknowledges a
 * duplicate again if it has read the first message back; otherwise both are in the log, and the consumer drops one. So
 * each duplicate is counted once, by either program.
 */
public final class DuplicatesCounted {
    private static final String NAME = "servers counted every duplicate once";
    private static final String ACKNOWLEDGED = ".acknowledgedAgain";
    private static final String DROPPED = ".duplicatesTotal";

    private final Samples samples;

    /** @param samples of the whole run; the first value of each counter counts as its value before the run */
    public DuplicatesCounted(Samples samples) {
        this.samples = samples;
    }

    /**
     * Whether the counters are known.
     *
     * @param servers number of chat servers
     */
    public boolean isKnown(int servers) {
        return named(ACKNOWLEDGED).size() >= servers && !named(DROPPED).isEmpty();
    }

    /** Whether to wait for more samples: fewer duplicates were counted than sent. */
    public boolean isUndecided(long sent) {
        return sent > 0 && isKnown(1) && counted() < sent;
    }

    /** Decides by the samples so far; no check if nothing was sent twice. */
    public List<Check> checks(long sent) {
        if (sent == 0) return List.of();
        if (!isKnown(1))
            return List.of(new Check(
                    NAME, Status.SKIPPED, 0, List.of("chat servers or consumer do not expose their metrics")));
        long counted = counted();
        if (counted == sent) return List.of(new Check(NAME, Status.PASS, 0, List.of()));
        String example = String.format(
                Locale.ROOT,
                "%,d were sent; chat servers acknowledged %,d again, and the consumer dropped %,d",
                sent,
                growth(ACKNOWLEDGED),
                growth(DROPPED));
        return List.of(new Check(NAME, Status.FAIL, Math.abs(sent - counted), List.of(example)));
    }

    private long counted() {
        return growth(ACKNOWLEDGED) + growth(DROPPED);
    }

    private List<String> named(String series) {
        return samples.names().stream().filter(name -> name.endsWith(series)).toList();
    }

    private long growth(String series) {
        double growth = 0;
        for (String name : named(series)) {
            double[] known =
                    Arrays.stream(samples.values(name)).filter(Double::isFinite).toArray();
            growth += known[known.length - 1] - known[0];
        }
        return Math.round(growth);
    }
}

package chat.load.lab.diagnosis;

import chat.load.check.Verdict.Check;
import chat.load.check.Verdict.Status;
import chat.load.report.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Checks after a run whether servers and their operating systems agree on the open connections. Servers compare them
 * every ten seconds and count the comparisons: only those after the run's end count. Other clients may connect at the
 * same time, so one agreement is enough, and {@value #LOOKS} comparisons without one are a leak.
 */
public final class ConnectionsLeft {
    static final String AGREE = "servers hold the connections that the operating system has";
    static final String LET_GO = "servers let go of connections whose clients have gone";
    static final String PHANTOMS = "servers hold no phantom session";

    private static final int LOOKS = 3;
    /** A server without a sample for this time has ended: runs may kill servers. */
    private static final int SILENT_SECONDS = 5;

    private static final String LOOKED = ".audits";
    private static final String HALF_CLOSED = ".closeWait";

    private final Samples samples;
    private final int from;

    private enum State {
        UNDECIDED,
        AGREED,
        DIFFERED,
        UNKNOWN
    }

    /** @param from the first second after all clients had gone */
    public ConnectionsLeft(Samples samples, int from) {
        this.samples = samples;
        this.from = from;
    }

    /** Whether to wait for more samples: some server reports, but not enough yet. */
    public boolean isUndecided() {
        return named(LOOKED).stream().anyMatch(server -> state(server) == State.UNDECIDED)
                || named(HALF_CLOSED).stream().anyMatch(server -> halfClosed(server).state == State.UNDECIDED);
    }

    /** Decides by the samples so far; a server without a comparison after the end fails. */
    public List<Check> checks() {
        List<String> differing = new ArrayList<>();
        List<String> phantoms = new ArrayList<>();
        int reporting = 0;
        for (String server : named(LOOKED)) {
            State state = state(server);
            if (state == State.UNKNOWN) continue;
            reporting++;
            if (state == State.UNDECIDED) differing.add(server + " has not asked the operating system since");
            if (state == State.DIFFERED && last(server + ".sessions") > last(server + ".connections"))
                differing.add(String.format(
                        Locale.ROOT,
                        "%s has %.0f sessions and %.0f connections",
                        server,
                        last(server + ".sessions"),
                        last(server + ".connections")));
            else if (state == State.DIFFERED)
                differing.add(String.format(
                        Locale.ROOT,
                        "%s holds %.0f connections, the operating system has %.0f",
                        server,
                        last(server + ".connections"),
                        last(server + ".connectionsKernel")));
            if (last(server + ".phantoms") > 0)
                phantoms.add(String.format(Locale.ROOT, "%s has found %.0f", server, last(server + ".phantoms")));
        }
        return List.of(check(AGREE, reporting, differing), letGo(), check(PHANTOMS, reporting, phantoms));
    }

    private Check letGo() {
        List<String> held = new ArrayList<>();
        int reporting = 0;
        for (String server : named(HALF_CLOSED)) {
            HalfClosed halfClosed = halfClosed(server);
            if (halfClosed.state != State.UNKNOWN) reporting++;
            if (halfClosed.least > 0)
                held.add(String.format(Locale.ROOT, "%s holds %.0f (CLOSE_WAIT)", server, halfClosed.least));
        }
        if (reporting == 0)
            return new Check(LET_GO, Status.SKIPPED, 0, List.of("the operating system was not asked after the run"));
        return check(LET_GO, reporting, held);
    }

    /** A connection that the client has closed is half closed for a moment: one check without any suffices. */
    private HalfClosed halfClosed(String server) {
        double[] counts = samples.values(server + HALF_CLOSED);
        double least = Double.NaN;
        int looks = 0;
        for (int second = from; second < counts.length; second++) {
            if (Double.isNaN(counts[second])) continue;
            looks++;
            least = Double.isNaN(least) ? counts[second] : Math.min(least, counts[second]);
        }
        if (looks == 0) return new HalfClosed(State.UNKNOWN, least);
        if (least == 0) return new HalfClosed(State.AGREED, least);
        return new HalfClosed(looks < LOOKS ? State.UNDECIDED : State.DIFFERED, least);
    }

    /** @param least lowest count of any comparison after the end; NaN if there was none */
    private record HalfClosed(State state, double least) {}

    private static Check check(String name, int reporting, List<String> breaches) {
        if (reporting == 0) return new Check(name, Status.SKIPPED, 0, List.of("no server exposes its metrics"));
        return new Check(name, breaches.isEmpty() ? Status.PASS : Status.FAIL, breaches.size(), breaches);
    }

    private List<String> named(String series) {
        return samples.names().stream()
                .filter(name -> name.endsWith(series))
                .map(name -> name.substring(0, name.length() - series.length()))
                .toList();
    }

    private State state(String server) {
        double[] looked = samples.values(server + LOOKED);
        double[] here = samples.values(server + ".connections");
        double[] sessions = samples.values(server + ".sessions");
        double[] there = samples.values(server + ".connectionsKernel");
        double first = Double.NaN;
        double looks = 0;
        boolean toldNothing = false;
        for (int second = from; second < looked.length; second++) {
            if (Double.isNaN(looked[second])) continue;
            if (Double.isNaN(first) || looked[second] < first) first = looked[second]; // or it was started again
            looks = looked[second] - first;
            if (looks == 0) continue; // as the system was before the end
            toldNothing = Double.isNaN(there[second]);
            if (here[second] == there[second] && !(sessions[second] > here[second])) return State.AGREED;
        }
        if (Double.isNaN(first) && looked.length - from >= SILENT_SECONDS) return State.UNKNOWN;
        if (looks == 0) return State.UNDECIDED;
        if (toldNothing) return State.UNKNOWN;
        return looks < LOOKS ? State.UNDECIDED : State.DIFFERED;
    }

    private double last(String name) {
        double[] values = samples.values(name);
        for (int second = values.length - 1; second >= from; second--)
            if (!Double.isNaN(values[second])) return values[second];
        return Double.NaN;
    }
}

package chat.load.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;

/**
 * Summarizes connections and CPU in steps of ten seconds from the run's beginning, of which the last may be shorter.
 * NaN means not measured.
 *
 * @param to exclusive
 * @param active connections at its end
 * @param successPercent of the attempts; NaN without attempts
 * @param serversCpu cores used by all chat servers of this machine together
 * @param generatorCpu cores used by the load client
 * @param event what began or failed in this step; empty if nothing
 */
record ConnectionStep(
        int from,
        int to,
        double attempts,
        double active,
        double failed,
        double successPercent,
        double serversCpu,
        double generatorCpu,
        String event) {
    private static final int STEP = TenSecondCounts.STEP;
    private static final Pattern PORT = Pattern.compile(":(\\d+)(?=/|$)");

    static List<ConnectionStep> of(RunRecord run) {
        Samples samples = run.samples();
        double[] attempts = samples.values("client.attempts");
        double[] connected = samples.values("client.connected");
        double[] failed = samples.values("client.failedConnects");
        double[] reconnects = samples.values("client.reconnects");
        double[] servers = serversCpu(run);
        double[] cpu = samples.values("generator.cpu");
        List<ConnectionStep> steps = new ArrayList<>();
        for (int from = 0; from < samples.seconds(); from += STEP) {
            int to = Math.min(from + STEP, samples.seconds());
            double tried = sum(attempts, from, to);
            double lost = sum(failed, from, to);
            steps.add(new ConnectionStep(
                    from,
                    to,
                    tried,
                    last(connected, from, to),
                    lost,
                    tried > 0 ? 100 * Math.max(0, tried - (Double.isNaN(lost) ? 0 : lost)) / tried : Double.NaN,
                    mean(servers, from, to),
                    mean(cpu, from, to),
                    event(run.phases(), from, to, sum(reconnects, from, to))));
        }
        return steps;
    }

    /** Per second, of processes named as chat servers or listening at one of the run's URLs. */
    private static double[] serversCpu(RunRecord run) {
        Samples samples = run.samples();
        List<String> ports = run.urls().stream()
                .map(PORT::matcher)
                .filter(Matcher::find)
                .map(port -> "-" + port.group(1) + ".cpu")
                .toList();
        double[] sum = new double[samples.seconds()];
        Arrays.fill(sum, Double.NaN);
        for (String name : samples.names()) {
            boolean server = name.startsWith("chat-") && name.endsWith(".cpu");
            if (!server && ports.stream().noneMatch(name::endsWith)) continue;
            double[] cpu = samples.values(name);
            for (int second = 0; second < sum.length; second++)
                if (Double.isFinite(cpu[second]))
                    sum[second] = Double.isNaN(sum[second]) ? cpu[second] : sum[second] + cpu[second];
        }
        return sum;
    }

    private static String event(List<RunRecord.Phase> phases, int from, int to, double reconnects) {
        StringJoiner event = new StringJoiner(", ");
        for (RunRecord.Phase phase : phases)
            if (phase.second() >= from && phase.second() < to) event.add(phase.name() + " begins");
        if (reconnects > 0) event.add(Math.round(reconnects) + " reconnects");
        return event.toString();
    }

    private static DoubleStream known(double[] values, int from, int to) {
        return Arrays.stream(values, from, to).filter(Double::isFinite);
    }

    private static double sum(double[] values, int from, int to) {
        return known(values, from, to).reduce(Double::sum).orElse(Double.NaN);
    }

    private static double mean(double[] values, int from, int to) {
        return known(values, from, to).average().orElse(Double.NaN);
    }

    private static double last(double[] values, int from, int to) {
        return known(values, from, to).reduce((earlier, later) -> later).orElse(Double.NaN);
    }
}

package chat.load.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;

/** The seconds {@code from} to {@code to} (exclusive) of a run, with the name of their phase. */
record PhaseWindow(String name, int from, int to) {
    /** Returns each phase that lasted at least a second or was cut short by the end of the run. */
    static List<PhaseWindow> of(RunRecord run) {
        List<PhaseWindow> windows = new ArrayList<>();
        for (int i = 0; i < run.phases().size(); i++) {
            RunRecord.Phase phase = run.phases().get(i);
            int end = i + 1 < run.phases().size()
                    ? run.phases().get(i + 1).second()
                    : Math.max(run.samples().seconds(), phase.second());
            if (end > phase.second()) windows.add(new PhaseWindow(phase.name(), phase.second(), end));
        }
        return windows;
    }

    /** The phase in which messages were sent; the whole run if there is no such phase. */
    static PhaseWindow chat(RunRecord run) {
        return of(run).stream()
                .filter(window -> window.name().equals(RunRecord.CHAT))
                .findFirst()
                .orElseGet(
                        () -> new PhaseWindow(RunRecord.CHAT, 0, run.samples().seconds()));
    }

    /** The whole run. */
    static PhaseWindow all(Samples samples) {
        return new PhaseWindow("all", 0, samples.seconds());
    }

    /** Empty if nothing was measured. */
    OptionalDouble mean(double[] values) {
        return known(values).average();
    }

    /** The sample standard deviation; empty with fewer than two seconds. */
    OptionalDouble deviation(double[] values) {
        double[] all = known(values).toArray();
        if (all.length < 2) return OptionalDouble.empty();
        double mean = Arrays.stream(all).average().getAsDouble();
        double squares =
                Arrays.stream(all).map(value -> (value - mean) * (value - mean)).sum();
        return OptionalDouble.of(Math.sqrt(squares / (all.length - 1)));
    }

    OptionalDouble max(double[] values) {
        return known(values).max();
    }

    private DoubleStream known(double[] values) {
        return Arrays.stream(values, Math.min(from, values.length), Math.min(to, values.length))
                .filter(Double::isFinite);
    }
}

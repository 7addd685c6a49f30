package chat.load.lab.sample;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Samples the threads of one process and its descendants: how often they leave the CPU, how long they wait for one, and
 * how busy the busiest is.
 */
final class ThreadTimes {
    /** Every thread has its own files: reading all of them each second would disturb the run. */
    static final int EVERY_SECONDS = 5;

    private static final double WHOLE_CORE = 0.95;

    private record Times(long runNanos, long waitNanos, long switches, long preemptions) {}

    private final ProcFiles proc;
    private final LongSupplier nanoClock;
    private Map<Integer, Times> last = Map.of();
    private long lastNanos;
    private double waited;
    private double switches;
    private double preemptions;

    ThreadTimes(ProcFiles proc, LongSupplier nanoClock) {
        this.proc = proc;
        this.nanoClock = nanoClock;
    }

    void sample(String name, long life, List<ProcessStat> family, Sink sink) {
        Map<Integer, Times> now = new HashMap<>();
        long nowNanos = nanoClock.getAsLong();
        double seconds = (nowNanos - lastNanos) / 1e9;
        double busiest = Double.NaN;
        int busiestThread = 0;
        int busiestProcess = 0;
        for (ProcessStat process : family) {
            for (int thread : proc.numbers(process.pid() + "/task")) {
                Times times = times(process.pid() + "/task/" + thread);
                if (times == null) continue;
                now.put(thread, times);
                Times before = last.get(thread);
                if (before == null || times.runNanos < before.runNanos) continue;
                waited += (times.waitNanos - before.waitNanos) / 1e9;
                switches += times.switches - before.switches;
                preemptions += times.preemptions - before.preemptions;
                double cores = (times.runNanos - before.runNanos) / 1e9 / seconds;
                if (!(cores <= busiest)) {
                    busiest = cores;
                    busiestThread = thread;
                    busiestProcess = process.pid();
                }
            }
        }
        last = now;
        lastNanos = nowNanos;
        if (now.isEmpty()) return;
        sink.counter(name + ".cpuWait", life, waited);
        sink.counter(name + ".switches", life, switches);
        sink.counter(name + ".preemptions", life, preemptions);
        sink.gauge(name + ".busiestThread", busiest);
        if (busiest >= WHOLE_CORE) {
            String thread = proc.read(busiestProcess + "/task/" + busiestThread + "/comm");
            if (thread != null)
                sink.note(String.format(
                        Locale.ROOT,
                        "%s: its thread %s used a whole core for at least %d s",
                        name,
                        thread.strip(),
                        EVERY_SECONDS));
        }
    }

    /** Null where it has ended, or where the kernel does not count. */
    private @Nullable Times times(String thread) {
        String schedstat = proc.read(thread + "/schedstat");
        if (schedstat == null) return null;
        String[] fields = schedstat.strip().split(" ", -1);
        if (fields.length < 2) return null;
        String status = proc.read(thread + "/status");
        return new Times(
                Long.parseLong(fields[0]),
                Long.parseLong(fields[1]),
                ProcessProbe.number(status, "\nvoluntary_ctxt_switches:"),
                ProcessProbe.number(status, "\nnonvoluntary_ctxt_switches:"));
    }
}

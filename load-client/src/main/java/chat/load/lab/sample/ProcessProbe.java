package chat.load.lab.sample;

import chat.load.lab.sample.ProcessFinder.Found;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Samples the resources used by each process of the run, and by this one. A process includes all its descendants, such
 * as PostgreSQL's backends. Series, each after the process's name:
 *
 * <ul>
 *   <li>{@code cpu}, {@code cpuUser}, {@code cpuSystem}: cores
 *   <li>{@code rss}: bytes in memory, what descendants share counted once
 *   <li>{@code threads}, {@code fds}
 *   <li>{@code readBytes}, {@code writeBytes}: from and to disks, per second
 *   <li>and over 5 s, since every thread is asked: {@code switches} and {@code preemptions} (voluntary and involuntary
 *       context switches per second), {@code cpuWait} (threads that could run and had no core, on average), {@code
 *       busiestThread} (cores: 1 is all that one thread can get)
 * </ul>
 */
final class ProcessProbe implements Probe {
    static final String GENERATOR = "generator";

    /** Programs may connect to broker or database only when the first messages arrive. */
    private static final List<Integer> LOOK_AGAIN = List.of(5, 15);

    private static final int LONGEST_PAUSE = 16;

    private final ProcFiles proc;
    private final ProcessFinder finder;
    private final LongSupplier nanoClock;
    private final ProcFiles.Units units;
    private final ProcessStat.Reader reader;
    private final Map<String, ProcessStat> tracked = new LinkedHashMap<>();
    private final Map<String, ThreadTimes> threads = new HashMap<>();
    private int seconds;
    private int nextSearch = LOOK_AGAIN.getFirst();
    private int pause = 1;

    ProcessProbe(ProcFiles proc, ProcessFinder finder, LongSupplier nanoClock) {
        this.proc = proc;
        this.finder = finder;
        this.nanoClock = nanoClock;
        this.units = proc.units();
        this.reader = new ProcessStat.Reader(proc);
        int self = (int) ProcessHandle.current().pid();
        ProcessStat generator = ProcessStat.read(proc, self);
        if (generator != null) tracked.put(GENERATOR, generator);
    }

    @Override
    public String name() {
        return "processes";
    }

    /** Adds the processes found, or replaces earlier ones of the same name. */
    void track(List<Found> found) {
        for (Found process : found) tracked.put(process.name(), process.stat());
    }

    @Override
    public void sample(Sink sink) throws IOException {
        Map<Integer, ProcessStat> all = reader.all();
        if (all.isEmpty()) throw new IOException("no process can be seen");
        search(all);
        Map<Integer, List<Integer>> children = new HashMap<>();
        for (ProcessStat process : all.values())
            children.computeIfAbsent(process.parent(), added -> new ArrayList<>())
                    .add(process.pid());
        Set<Integer> roots = new HashSet<>();
        for (ProcessStat process : tracked.values()) roots.add(process.pid());
        boolean slow = seconds++ % ThreadTimes.EVERY_SECONDS == 0;
        tracked.forEach((name, process) -> {
            if (!isThere(all, process)) return;
            List<ProcessStat> family = family(process.pid(), all, children, roots);
            sample(name, process.startTicks(), family, sink);
            if (slow)
                threads.computeIfAbsent(name, added -> new ThreadTimes(proc, nanoClock))
                        .sample(name, process.startTicks(), family, sink);
        });
    }

    /** Searches for processes that have ended, which may have been restarted; at growing intervals. */
    private void search(Map<Integer, ProcessStat> all) {
        boolean gone = tracked.values().stream().anyMatch(process -> !isThere(all, process));
        boolean again = LOOK_AGAIN.contains(seconds);
        if (!again && !(gone && seconds >= nextSearch)) {
            if (!gone) pause = 1;
            return;
        }
        track(finder.find());
        nextSearch = seconds + pause;
        if (gone) pause = Math.min(LONGEST_PAUSE, 2 * pause);
    }

    private static boolean isThere(Map<Integer, ProcessStat> all, ProcessStat process) {
        ProcessStat now = all.get(process.pid());
        return now != null && now.startTicks() == process.startTicks();
    }

    /** A process and its descendants, except those with their own series. */
    private static List<ProcessStat> family(
            int root, Map<Integer, ProcessStat> all, Map<Integer, List<Integer>> children, Set<Integer> roots) {
        List<ProcessStat> family = new ArrayList<>();
        Deque<Integer> left = new ArrayDeque<>(List.of(root));
        while (!left.isEmpty()) {
            int pid = left.remove();
            ProcessStat process = all.get(pid);
            if (process == null) continue;
            family.add(process);
            for (int child : children.getOrDefault(pid, List.of())) if (!roots.contains(child)) left.add(child);
        }
        return family;
    }

    private void sample(String name, long life, List<ProcessStat> family, Sink sink) {
        long user = 0;
        long system = 0;
        int threadCount = 0;
        long own = 0;
        long shared = 0;
        double descriptors = 0;
        double read = 0;
        double written = 0;
        boolean seesDisk = true;
        for (ProcessStat process : family) {
            user += process.userTicks();
            system += process.systemTicks();
            threadCount += process.threads();
            long[] pages = pages(process.pid());
            own += pages[1] - pages[2];
            shared = Math.max(shared, pages[2]);
            descriptors += Math.max(0, proc.descriptors(process.pid()));
            String io = proc.read(process.pid() + "/io");
            seesDisk &= io != null;
            read += number(io, "read_bytes:");
            written += number(io, "\nwrite_bytes:");
        }
        sink.counter(name + ".cpu", life, (user + system) / units.ticksPerSecond());
        sink.counter(name + ".cpuUser", life, user / units.ticksPerSecond());
        sink.counter(name + ".cpuSystem", life, system / units.ticksPerSecond());
        sink.gauge(name + ".rss", (double) (own + shared) * units.pageBytes());
        sink.gauge(name + ".threads", threadCount);
        if (descriptors > 0) sink.gauge(name + ".fds", descriptors);
        if (seesDisk) {
            sink.counter(name + ".readBytes", life, read);
            sink.counter(name + ".writeBytes", life, written);
        }
    }

    /** Size, resident, shared. */
    private long[] pages(int pid) {
        String statm = proc.read(pid + "/statm");
        if (statm == null) return new long[3];
        String[] fields = statm.split(" ", -1);
        return fields.length < 3
                ? new long[3]
                : new long[] {Long.parseLong(fields[0]), Long.parseLong(fields[1]), Long.parseLong(fields[2])};
    }

    /** The number after a label; 0 if there is none. */
    static long number(@Nullable String text, String label) {
        if (text == null) return 0;
        int at = text.indexOf(label);
        if (at < 0) return 0;
        int from = at + label.length();
        while (from < text.length() && (text.charAt(from) == ' ' || text.charAt(from) == '\t')) from++;
        int to = from;
        while (to < text.length() && Character.isDigit(text.charAt(to))) to++;
        return to == from ? 0 : Long.parseLong(text, from, to, 10);
    }
}

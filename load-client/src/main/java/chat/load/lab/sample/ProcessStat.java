package chat.load.lab.sample;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Holds one process as {@code /proc/<pid>/stat} shows it.
 *
 * @param userTicks of CPU, with those of children that have ended and were waited for
 * @param systemTicks likewise
 * @param startTicks since the machine's boot: together with the pid it identifies a process
 */
record ProcessStat(
        int pid, int parent, String command, long userTicks, long systemTicks, int threads, long startTicks) {
    private static final int KERNEL = 2;

    /** @throws RuntimeException if the text has another format */
    static ProcessStat parse(String stat) {
        // "pid (command) state ppid …", and the command may hold anything, parentheses and spaces included.
        int close = stat.lastIndexOf(')');
        int open = stat.indexOf('(');
        String[] fields = stat.substring(close + 2).strip().split(" ", -1);
        return new ProcessStat(
                Integer.parseInt(stat.substring(0, open).strip()),
                Integer.parseInt(fields[1]),
                stat.substring(open + 1, close),
                Long.parseLong(fields[11]) + Long.parseLong(fields[13]),
                Long.parseLong(fields[12]) + Long.parseLong(fields[14]),
                Integer.parseInt(fields[17]),
                Long.parseLong(fields[19]));
    }

    static @Nullable ProcessStat read(ProcFiles proc, int pid) {
        String stat = proc.read(pid + "/stat");
        if (stat == null) return null;
        try {
            return parse(stat);
        } catch (RuntimeException cutShort) {
            return null;
        }
    }

    /** Reads all processes repeatedly, except the kernel's own, which are many and no descendants of a program. */
    static final class Reader {
        private final ProcFiles proc;
        /** The parent of the kernel's threads; in a container any process may have this number. */
        private final boolean kernelIsSeen;

        private Set<Integer> kernel = new HashSet<>();

        Reader(ProcFiles proc) {
            this.proc = proc;
            ProcessStat second = read(proc, KERNEL);
            this.kernelIsSeen = second != null && second.command.equals("kthreadd");
        }

        Map<Integer, ProcessStat> all() {
            Map<Integer, ProcessStat> all = new HashMap<>();
            Set<Integer> kernelNow = new HashSet<>();
            for (int pid : proc.numbers("")) {
                if (kernel.contains(pid)) {
                    kernelNow.add(pid);
                    continue;
                }
                ProcessStat stat = read(proc, pid);
                if (stat == null) continue;
                if (kernelIsSeen && (pid == KERNEL || stat.parent == KERNEL)) kernelNow.add(pid);
                else all.put(pid, stat);
            }
            kernel = kernelNow;
            return all;
        }
    }
}

package chat.load.run;

import chat.load.plan.Plan;
import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Checks that this process has the memory and may open the sockets that a plan needs. */
final class Resources {
    /** For jars, the run's folder and the samplers. */
    private static final int OTHER_FILES = 256;

    private Resources() {}

    /** @throws IllegalArgumentException if the heap is too small to record the plan's messages */
    static void requireMemory(Plan plan) {
        long heap = Runtime.getRuntime().maxMemory();
        if (plan.memoryBytes() > heap * 3 / 4)
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "keeping track of %,d messages takes about %,d MB, and the heap has %,d: set LOAD_JAVA_OPTS=-Xmx…",
                    plan.numbering().total(),
                    plan.memoryBytes() >> 20,
                    heap >> 20));
    }

    /** @throws IllegalArgumentException if the limit on open files is too low */
    static void requireOpenFiles(Plan plan) {
        if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system)) return;
        long connections =
                plan.clients() + (plan.crowd() == null ? 0L : plan.crowd().clients());
        String shortage = shortage(system.getMaxFileDescriptorCount(), connections);
        if (shortage != null) throw new IllegalArgumentException(shortage);
    }

    /** Describes the shortage, or returns null if there is none. */
    static @Nullable String shortage(long limit, long connections) {
        if (limit >= connections + OTHER_FILES) return null;
        return String.format(
                Locale.ROOT,
                "%,d connections are as many open files, and this process may have %,d in all: raise the limit (ulimit -Hn),"
                        + " or share the load between several machines",
                connections,
                limit);
    }
}

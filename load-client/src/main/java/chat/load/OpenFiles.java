package chat.load;

import chat.load.plan.Plan;
import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Checks that this process may open as many sockets as a plan has connections. */
final class OpenFiles {
    /** For jars, the run's folder and the samplers. */
    private static final int BESIDES_SOCKETS = 256;

    private OpenFiles() {}

    /** @throws IllegalArgumentException if the limit on open files is too low */
    static void require(Plan plan) {
        if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system)) return;
        long connections =
                plan.clients() + (plan.crowd() == null ? 0L : plan.crowd().clients());
        String shortage = shortage(system.getMaxFileDescriptorCount(), connections);
        if (shortage != null) throw new IllegalArgumentException(shortage);
    }

    /** Describes the shortage, or returns null if there is none. */
    static @Nullable String shortage(long limit, long connections) {
        if (limit >= connections + BESIDES_SOCKETS) return null;
        return String.format(
                Locale.ROOT,
                "%,d connections are as many open files, and this process may have %,d in all: raise the limit (ulimit -Hn),"
                        + " or share the load between several machines",
                connections,
                limit);
    }
}

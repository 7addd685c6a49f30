package chat.server;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;

/** Warns at startup if the limit of open files is too low for max-connections. */
final class FileDescriptors implements InitializingBean {
    private static final Logger logger = LoggerFactory.getLogger(FileDescriptors.class);

    /** Files for jars, the log, the history, metrics and health. */
    private static final int BESIDES_SOCKETS = 256;

    private final int maxConnections;

    FileDescriptors(int maxConnections) {
        this.maxConnections = maxConnections;
    }

    @Override
    public void afterPropertiesSet() {
        if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system)) return;
        String shortage = shortage(system.getMaxFileDescriptorCount(), maxConnections);
        if (shortage != null) logger.warn(shortage);
    }

    /** Returns the warning, or null if the limit is high enough. */
    static @Nullable String shortage(long limit, int maxConnections) {
        long needed = (long) maxConnections + BESIDES_SOCKETS;
        if (limit >= needed) return null;
        return "This process may open " + limit + " files, and " + needed + " are needed for max-connections "
                + maxConnections + ": raise the limit (ulimit -n, LimitNOFILE), or lower CHAT_SERVER_MAX_CONNECTIONS.";
    }
}

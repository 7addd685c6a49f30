package chat.nodes;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds free TCP ports on loopback. Thread-safe; never returns the same port twice in one JVM.
 *
 * <p>The ports are below every system's range of ephemeral ports (Linux starts at 32768). Binding port 0 would select
 * an ephemeral port, which any outgoing connection may use while its server is down, even a client connecting to
 * itself.
 */
public final class Ports {
    private static final int LOWEST = 12_000;
    private static final int SLICES = 8;
    private static final int IN_SLICE = 2_500;
    /** Distance from a program's port to its second port. */
    private static final int SECOND = 1_000;
    /**
     * JVMs that run at the same time use different slices, because another JVM could take a port before it is bound.
     */
    private static final Range RANGE = Boolean.getBoolean("confab.ports.shared") ? slice() : all();

    private static final int CONNECT_TIMEOUT_MS = 500;
    private static final long PATIENCE_MS = 3_000;
    private static final long POLL_MS = 100;
    private static final Set<Integer> GIVEN = new HashSet<>();

    /** @param lock lock on a slice, held for the lifetime of this JVM */
    private record Range(int first, int last, @Nullable DirectoryLock lock) {}

    private Ports() {}

    private static Range all() {
        return new Range(LOWEST, LOWEST + SLICES * IN_SLICE - SECOND - 1, null);
    }

    private static Range slice() {
        Path locks = Path.of(System.getProperty("java.io.tmpdir"), "confab-ports-" + System.getProperty("user.name"));
        for (int slice = 0; slice < SLICES; slice++) {
            try {
                DirectoryLock lock = DirectoryLock.acquire(locks.resolve(Integer.toString(slice)));
                int first = LOWEST + slice * IN_SLICE;
                return new Range(first, first + IN_SLICE - SECOND - 1, lock);
            } catch (NodeException ignored) {
                // Another JVM has locked this slice.
            }
        }
        return all();
    }

    /** Returns a free port. Another process outside this scheme may still take it before its user does. */
    public static int free() {
        return freeRow(1);
    }

    /** Returns the first of {@code count} consecutive free ports. */
    public static synchronized int freeRow(int length) {
        for (int attempt = 0; attempt < RANGE.last() - RANGE.first(); attempt++) {
            int first = ThreadLocalRandom.current().nextInt(RANGE.first(), RANGE.last() + 2 - length);
            if (row(first, length).allMatch(port -> !GIVEN.contains(port) && isFree(port))) {
                row(first, length).forEach(GIVEN::add);
                return first;
            }
        }
        throw new NodeException("No free port between " + RANGE.first() + " and " + RANGE.last() + " on 127.0.0.1");
    }

    /** Checks the ports and the programs' second ports. */
    private static IntStream row(int first, int length) {
        return IntStream.range(first, first + length).flatMap(port -> IntStream.of(port, port + SECOND));
    }

    /** Returns whether a server could listen on 127.0.0.1 at {@code port} now. */
    public static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            // As servers do: ignore connections of an earlier server in TIME_WAIT.
            socket.setReuseAddress(true);
            socket.bind(address(port));
            return true;
        } catch (IOException ignored) {
            return false;
        }
    }

    /** Waits some seconds until the port is free: the system needs time to close the sockets of a killed server. */
    static boolean becomesFree(int port) {
        for (long waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
            if (isFree(port)) {
                return true;
            }
            try {
                Thread.sleep(POLL_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return isFree(port);
    }

    /** Returns whether a server accepts connections on 127.0.0.1 at {@code port} now. */
    static boolean accepts(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(address(port), CONNECT_TIMEOUT_MS);
            return true;
        } catch (IOException ignored) {
            return false;
        }
    }

    /** Returns 127.0.0.1, independently of how the system resolves "localhost". */
    static InetSocketAddress address(int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
        } catch (IOException e) {
            throw new AssertionError("four bytes are an address", e);
        }
    }
}

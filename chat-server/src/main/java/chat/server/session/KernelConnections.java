package chat.server.session;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the TCP connections of a port from the operating system: on Linux from {@code /proc/net}.
 *
 * @see <a href="https://docs.kernel.org/networking/proc_net_tcp.html">/proc/net/tcp</a>
 */
final class KernelConnections {
    private static final boolean LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    private static final Pattern COLUMNS = Pattern.compile(" +");
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int STATE = 3;

    /** ESTABLISHED and CLOSE_WAIT: the states in which this process still holds the connection. */
    private static final Set<String> OPEN = Set.of("01", "08");

    private final Path directory;

    /** @param directory contains the files {@code tcp} and {@code tcp6} */
    KernelConnections(Path directory) {
        this.directory = directory;
    }

    static KernelConnections ofThisSystem() {
        return new KernelConnections(Path.of("/proc/self/net"));
    }

    /** Returns the clients connected to this port; null if the system does not list them. Blocks. */
    @Nullable
    Set<InetSocketAddress> clientsOf(int port) {
        String suffix = String.format(Locale.ROOT, ":%04X", port);
        Set<InetSocketAddress> clients = new HashSet<>();
        try {
            read(directory.resolve("tcp"), suffix, clients);
            Path six = directory.resolve("tcp6");
            if (Files.exists(six)) read(six, suffix, clients); // missing if IPv6 is off
            return clients;
        } catch (IOException | IllegalArgumentException notLinux) {
            return null;
        }
    }

    private static void read(Path file, String suffix, Set<InetSocketAddress> clients) throws IOException {
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.US_ASCII)) {
            String line = lines.readLine(); // the heading
            while ((line = lines.readLine()) != null) {
                String[] fields = COLUMNS.split(line.strip(), STATE + 2);
                if (fields.length <= STATE) throw new IOException("not a table of connections");
                if (fields[LOCAL].endsWith(suffix) && OPEN.contains(fields[STATE]))
                    clients.add(address(fields[REMOTE]));
            }
        }
    }

    /** Parses 32-bit words, each in the byte order of the machine, and a port: {@code 0100007F:1F90}. */
    private static InetSocketAddress address(String text) throws IOException {
        int colon = text.indexOf(':');
        byte[] bytes = new byte[colon / 2];
        for (int i = 0; i < bytes.length; i++) {
            int at = LITTLE_ENDIAN ? i / 4 * 4 + 3 - i % 4 : i;
            bytes[i] = (byte) Integer.parseInt(text, 2 * at, 2 * at + 2, 16);
        }
        // Turns an IPv4-mapped IPv6 address into the IPv4 address, as Netty's channels do.
        return new InetSocketAddress(
                InetAddress.getByAddress(bytes), Integer.parseInt(text, colon + 1, text.length(), 16));
    }
}

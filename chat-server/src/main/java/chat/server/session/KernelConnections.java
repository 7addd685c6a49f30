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
 * The TCP connections of a port as the operating system sees them: Linux tells in {@code /proc/net}.
 *
 * @see <a href="https://docs.kernel.org/networking/proc_net_tcp.html">/proc/net/tcp</a>
 */
final class KernelConnections {
    private static final boolean LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    private static final Pattern COLUMNS = Pattern.compile(" +");
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int STATE = 3;

    /** Both sides may send, or only this one any more: in both states the program still holds the connection. */
    private static final Set<String> OPEN = Set.of("01", "08");

    private final Path directory;

    /** @param directory with the files {@code tcp} and {@code tcp6} */
    KernelConnections(Path directory) {
        this.directory = directory;
    }

    static KernelConnections ofThisSystem() {
        return new KernelConnections(Path.of("/proc/self/net"));
    }

    /** The clients that are connected to this port; null where the system does not tell. Blocks. */
    @Nullable
    Set<InetSocketAddress> clientsOf(int port) {
        String suffix = String.format(Locale.ROOT, ":%04X", port);
        Set<InetSocketAddress> clients = new HashSet<>();
        try {
            read(directory.resolve("tcp"), suffix, clients);
            Path six = directory.resolve("tcp6");
            if (Files.exists(six)) read(six, suffix, clients); // none where IPv6 is off
            return clients;
        } catch (IOException | IllegalArgumentException anotherSystem) {
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

    /** Of words of 32 bits, each in the byte order of the machine, such as {@code 0100007F:1F90}. */
    private static InetSocketAddress address(String text) throws IOException {
        int colon = text.indexOf(':');
        byte[] bytes = new byte[colon / 2];
        for (int i = 0; i < bytes.length; i++) {
            int at = LITTLE_ENDIAN ? i / 4 * 4 + 3 - i % 4 : i;
            bytes[i] = (byte) Integer.parseInt(text, 2 * at, 2 * at + 2, 16);
        }
        // Of an IPv4 address in an IPv6 one this makes the IPv4 address, as the channel's is.
        return new InetSocketAddress(
                InetAddress.getByAddress(bytes), Integer.parseInt(text, colon + 1, text.length(), 16));
    }
}

package chat.load.lab.sample;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads Linux's {@code /proc}. Files of processes that have ended, and files that this user may not read, count as
 * missing.
 *
 * @see <a href="https://man7.org/linux/man-pages/man5/proc.5.html">proc(5)</a>
 */
final class ProcFiles {
    private static final int AT_PAGESZ = 6;
    private static final int AT_CLKTCK = 17;

    private final Path root;

    ProcFiles(Path root) {
        this.root = root;
    }

    static ProcFiles ofThisMachine() {
        return new ProcFiles(Path.of("/proc"));
    }

    boolean exists() {
        return Files.isReadable(root.resolve("self/stat"));
    }

    Path path(String name) {
        return root.resolve(name);
    }

    /** Returns the whole file; null if it is missing. */
    @Nullable
    String read(String name) {
        // The size is only known after reading.
        try (InputStream file = Files.newInputStream(root.resolve(name))) {
            return new String(file.readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException notThere) {
            return null;
        }
    }

    /** @throws IOException if it is missing */
    String require(String name) throws IOException {
        String content = read(name);
        if (content == null) throw new IOException("cannot read " + root.resolve(name));
        return content;
    }

    /** Names in a directory that are numbers, such as those of processes, threads or file descriptors. */
    List<Integer> numbers(String name) {
        List<Integer> numbers = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(root.resolve(name))) {
            for (Path entry : entries) {
                String number = entry.getFileName().toString();
                if (Character.isDigit(number.charAt(0))) numbers.add(Integer.parseInt(number));
            }
        } catch (IOException | RuntimeException notThere) {
            // Processes may end during iteration; a directory stream reports that as an unchecked exception.
        }
        return numbers;
    }

    /** Number of open file descriptors of a process; -1 if it cannot be read. */
    long descriptors(int pid) {
        Path directory = root.resolve(pid + "/fd");
        try {
            // Since Linux 6.2 the directory's size is their number.
            long size = Files.size(directory);
            if (size > 0) return size;
        } catch (IOException notThere) {
            return -1;
        }
        return Files.isReadable(directory) ? numbers(pid + "/fd").size() : -1;
    }

    /** @return bytes in a page of memory, and ticks in a second of CPU time */
    Units units() {
        long page = 4096;
        long ticks = 100;
        try {
            ByteBuffer pairs = ByteBuffer.wrap(Files.readAllBytes(root.resolve("self/auxv")))
                    .order(ByteOrder.nativeOrder());
            while (pairs.remaining() >= 16) {
                long type = pairs.getLong();
                long value = pairs.getLong();
                if (type == AT_PAGESZ) page = value;
                if (type == AT_CLKTCK) ticks = value;
            }
        } catch (IOException notThere) {
            // The values above are those of nearly every machine.
        }
        return new Units(page, ticks);
    }

    record Units(long pageBytes, double ticksPerSecond) {}
}

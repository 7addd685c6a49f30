package chat.bench.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** Reads the CPU time of a process. */
public final class Cpu {
    private static final long NANOS_PER_TICK = 10_000_000;
    private static final int CHILDREN_USER = 13;
    private static final int CHILDREN_SYSTEM = 14;

    private Cpu() {}

    /**
     * Returns the CPU time in nanoseconds: on Linux the exact sum over the live threads; on other systems the system's
     * figure, often in steps of 10 ms.
     */
    public static long nanos(long pid) {
        Path threads = Path.of("/proc", Long.toString(pid), "task");
        if (!Files.isDirectory(threads))
            return ProcessHandle.of(pid)
                    .flatMap(process -> process.info().totalCpuDuration())
                    .orElse(Duration.ZERO)
                    .toNanos();
        try (Stream<Path> all = Files.list(threads)) {
            return all.mapToLong(Cpu::ofThread).sum();
        } catch (NoSuchFileException ended) {
            return 0;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Returns the CPU time of a process's children that have ended, in nanoseconds, in steps of 10 ms; 0 without /proc. */
    public static long ofEndedChildren(long pid) {
        Path stat = Path.of("/proc", Long.toString(pid), "stat");
        if (!Files.exists(stat)) return 0;
        try {
            String line = Files.readString(stat);
            // The name of the program is in parentheses and may contain blanks; the state follows.
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
            return (Long.parseLong(fields[CHILDREN_USER]) + Long.parseLong(fields[CHILDREN_SYSTEM])) * NANOS_PER_TICK;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static long ofThread(Path thread) {
        try {
            String spent = Files.readString(thread.resolve("schedstat"));
            return Long.parseLong(spent.substring(0, spent.indexOf(' ')));
        } catch (NoSuchFileException ended) {
            return 0;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}

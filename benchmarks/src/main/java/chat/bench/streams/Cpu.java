package chat.bench.streams;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** Measures the CPU time of a process. */
final class Cpu {
    private Cpu() {}

    /**
     * Returns the CPU time in nanoseconds: on Linux the exact sum over the live threads; on other systems the system's
     * figure, often in steps of 10 ms.
     */
    static long nanos(long pid) {
        Path threads = Path.of("/proc", Long.toString(pid), "task");
        if (!Files.isDirectory(threads))
            return ProcessHandle.of(pid)
                    .flatMap(process -> process.info().totalCpuDuration())
                    .orElse(Duration.ZERO)
                    .toNanos();
        try (Stream<Path> all = Files.list(threads)) {
            return all.mapToLong(Cpu::ofThread).sum();
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

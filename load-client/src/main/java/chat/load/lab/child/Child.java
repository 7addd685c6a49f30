package chat.load.lab.child;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One child process, created by {@link Children}. Its output goes to a file. Thread-safe. */
public final class Child {
    /** After a kill only the kernel is still involved. */
    private static final Duration KILLED = Duration.ofSeconds(10);

    private static final int TAIL_BYTES = 16_384;

    private final Process process;
    private final Path log;
    private final Duration grace;
    /** Descendants seen so far: they cannot be listed after the program has crashed. */
    private final Set<ProcessHandle> family = new LinkedHashSet<>();

    private Child(Process process, Path log, Duration grace) {
        this.process = process;
        this.log = log;
        this.grace = grace;
    }

    static Child start(Launch launch) throws IOException {
        Path folder = launch.log().toAbsolutePath().getParent();
        if (folder != null) Files.createDirectories(folder);
        ProcessBuilder builder = new ProcessBuilder(launch.command())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(launch.log().toFile()));
        builder.environment().putAll(launch.environment());
        Process process = builder.start();
        process.getOutputStream().close();
        return new Child(process, launch.log(), launch.grace());
    }

    /** Also records the current descendants, so that they are stopped with the child. */
    public boolean isAlive() {
        meetFamily();
        return process.isAlive();
    }

    private synchronized Set<ProcessHandle> meetFamily() {
        family.removeIf(relative -> !relative.isAlive());
        process.descendants().forEach(family::add);
        return new LinkedHashSet<>(family);
    }

    public long pid() {
        return process.pid();
    }

    /** @return whether it ended within the limit */
    public boolean waitFor(Duration limit) throws InterruptedException {
        return process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** May be called only after the process has ended. */
    public int exitCode() {
        return process.exitValue();
    }

    public Path log() {
        return log;
    }

    /** Returns the last lines of its output, or none if the file cannot be read. */
    public List<String> lastLines(int lines) {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            long from = Math.max(0, file.length() - TAIL_BYTES);
            file.seek(from);
            byte[] tail = new byte[(int) (file.length() - from)];
            file.readFully(tail);
            List<String> all = new String(tail, StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
            return all.subList(Math.max(0, all.size() - lines), all.size());
        } catch (IOException unreadable) {
            return List.of();
        }
    }

    /**
     * Sends SIGTERM, waits for the grace period, then kills the process; does the same to remaining descendants.
     * Returns when all have ended; the time is bounded.
     */
    public void stop() {
        Set<ProcessHandle> relatives = meetFamily();
        end(Set.of(process.toHandle()), grace);
        // Left over from a crash, or from a program that does not stop its children.
        relatives.addAll(meetFamily());
        end(relatives, grace);
    }

    /** Ends all of them in parallel, so that the time does not grow with their number. */
    private static void end(Set<ProcessHandle> handles, Duration grace) {
        for (ProcessHandle handle : handles) handle.destroy();
        if (awaitEnd(handles, grace)) return;
        for (ProcessHandle handle : handles) {
            handle.descendants().forEach(ProcessHandle::destroyForcibly);
            handle.destroyForcibly();
        }
        var unused = awaitEnd(handles, KILLED);
    }

    private static boolean awaitEnd(Set<ProcessHandle> handles, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        boolean ended = true;
        for (ProcessHandle handle : handles) ended &= awaitEnd(handle, deadline);
        return ended;
    }

    /** Keeps waiting when interrupted, within the limit: an orphaned process is worse than a delay. */
    private static boolean awaitEnd(ProcessHandle handle, long deadline) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    var unused = handle.onExit().get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                    return true;
                } catch (InterruptedException again) {
                    interrupted = true;
                } catch (TimeoutException tooLong) {
                    return !handle.isAlive();
                } catch (ExecutionException impossible) {
                    throw new IllegalStateException("onExit never fails", impossible);
                }
            }
        } finally {
            if (interrupted) Thread.currentThread().interrupt();
        }
    }
}

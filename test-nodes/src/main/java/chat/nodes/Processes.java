package chat.nodes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds, pauses and kills processes, always by process id and never by name. */
public final class Processes {
    private static final Duration SIGNAL_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);
    private static final long POLL_NANOS = Duration.ofMillis(20).toNanos();
    private static final boolean WINDOWS =
            System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows");

    private Processes() {}

    static boolean onWindows() {
        return WINDOWS;
    }

    /** Returns processes of this user whose command line contains all {@code marks}, except this JVM. */
    static List<ProcessHandle> runningWith(String... marks) {
        ProcessHandle self = ProcessHandle.current();
        return ProcessHandle.allProcesses()
                .filter(process -> !process.equals(self))
                .filter(process -> isRunning(process) && isMarked(process, marks))
                .toList();
    }

    /**
     * Returns a command that ignores Ctrl-C, which a terminal sends to all its processes: the program must run until
     * this JVM stops it.
     */
    static ProcessBuilder deafToCtrlC(String... command) {
        List<String> words = new ArrayList<>(List.of("/bin/sh", "-c", "trap '' INT HUP; exec \"$0\" \"$@\""));
        words.addAll(List.of(command));
        return new ProcessBuilder(words);
    }

    static boolean isMarked(ProcessHandle process, String... marks) {
        String line = process.info().commandLine().orElse("");
        return Stream.of(marks).allMatch(line::contains);
    }

    /**
     * Returns false for a zombie: in a container whose first process does not reap, an ended orphan stays one forever,
     * but has no open files or ports.
     */
    static boolean isRunning(ProcessHandle process) {
        if (!process.isAlive()) {
            return false;
        }
        try {
            String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"), StandardCharsets.ISO_8859_1);
            // "pid (name) state …"; the name may contain anything, including parentheses.
            return !stat.startsWith("Z", stat.lastIndexOf(')') + 2);
        } catch (IOException ignored) {
            return process.isAlive();
        }
    }

    /** Waits until the process has ended; returns false if it has not within {@code timeout}. */
    static boolean awaitEnd(ProcessHandle process, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (isRunning(process)) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            pause();
        }
        return true;
    }

    /** Sleeps between two checks of a condition. Fails when interrupted. */
    static void pause() {
        LockSupport.parkNanos(POLL_NANOS);
        if (Thread.currentThread().isInterrupted()) {
            throw new NodeException("Interrupted while waiting for a server");
        }
    }

    /** Kills a process and all its children (SIGKILL) and waits until they have ended. */
    static void kill(ProcessHandle process) {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        awaitEnd(process, KILL_TIMEOUT);
        children.forEach(child -> awaitEnd(child, KILL_TIMEOUT));
    }

    /** Pauses a process and all its children (SIGSTOP). The parent first, so that it starts no further children. */
    public static void suspend(ProcessHandle process) {
        signal("STOP", List.of(process));
        signal("STOP", process.descendants().toList());
    }

    /** Undoes {@link #suspend}; does nothing to running processes. */
    public static void resume(ProcessHandle process) {
        signal("CONT", process.descendants().toList());
        signal("CONT", List.of(process));
    }

    /** Sends a signal, such as {@code USR1}, to a process without its children; does nothing if it has ended. */
    static void signal(String name, ProcessHandle process) {
        signal(name, List.of(process));
    }

    private static void signal(String name, List<ProcessHandle> processes) {
        if (processes.isEmpty()) {
            return;
        }
        if (WINDOWS) {
            throw new UnsupportedOperationException("Windows has no SIG" + name);
        }
        String pids =
                processes.stream().map(ProcessHandle::pid).map(String::valueOf).collect(Collectors.joining(" "));
        // The shell's built-in kill: a small container may lack the program.
        Command.Outcome outcome = Command.run(SIGNAL_TIMEOUT, List.of("/bin/sh", "-c", "kill -" + name + " " + pids));
        // One of several processes may have just ended: not a failure.
        if (!outcome.succeeded() && processes.size() == 1 && isRunning(processes.getFirst())) {
            throw new NodeException("Cannot send SIG" + name + " to " + pids + ": " + outcome.output());
        }
    }
}

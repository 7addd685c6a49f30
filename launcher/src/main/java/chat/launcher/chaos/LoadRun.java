package chat.launcher.chaos;

import chat.launcher.platform.StartFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs the load client as a child process; it checks the fate of every message. */
public final class LoadRun implements AutoCloseable {
    private static final Pattern SENT = Pattern.compile("sent ([0-9,]+)/");

    private final Process process;
    private final Path log;

    private LoadRun(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /**
     * Starts the load client.
     *
     * @param programs the checkout in which the load client was built
     * @param log file for its output
     * @param scenario such as {@code fanout}
     * @param arguments options of the scenario
     */
    public static LoadRun start(Path programs, Path log, String scenario, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "-jar",
                programs.resolve("load-client/target/load-client.jar").toString(),
                scenario));
        command.addAll(arguments);
        try {
            Files.createDirectories(log.getParent());
            return new LoadRun(
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start(),
                    log);
        } catch (IOException failure) {
            throw new StartFailure("cannot start the load client: " + failure.getMessage());
        }
    }

    public boolean isRunning() {
        return process.isAlive();
    }

    /** Returns the number of messages sent, from its last progress line. */
    public long sent() {
        long sent = 0;
        Matcher lines = SENT.matcher(output());
        while (lines.find()) sent = Long.parseLong(lines.group(1).replace(",", ""));
        return sent;
    }

    /** Returns its exit code, 0 if all messages passed its checks; -1 if it did not exit in time. */
    public int result(Duration limit) throws InterruptedException {
        if (process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) return process.exitValue();
        process.destroyForcibly();
        return -1;
    }

    /** Returns its output so far; empty if it cannot be read. */
    public String output() {
        try {
            return Files.readString(log);
        } catch (IOException unreadable) {
            return "";
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

package chat.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A run of the load client as a process of its own, which judges what became of every message. */
final class DrillLoad implements AutoCloseable {
    private static final Pattern SENT = Pattern.compile("sent ([0-9,]+)/");
    private static final long POLL_MILLIS = 100;

    private final Process process;
    private final Path log;

    private DrillLoad(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** An open loop in twenty rooms that offers again what is refused, until a minute of standstill. */
    static DrillLoad start(Path programs, Path log, String url, int rate, Duration duration) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "-jar",
                programs.resolve("load-client/target/load-client.jar").toString(),
                "fanout",
                "--rooms=20",
                "--users=3",
                "--rate=" + rate,
                "--duration=" + duration.toSeconds() + "s",
                "--retries=200",
                "--url=" + url));
        try {
            Files.createDirectories(log.getParent());
            return new DrillLoad(
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start(),
                    log);
        } catch (IOException failure) {
            throw new StartFailure("cannot start the load client: " + failure.getMessage());
        }
    }

    /** Waits until messages are under way; false if it ended before. */
    boolean awaitSending() throws InterruptedException {
        while (process.isAlive()) {
            if (sent() > 0) return true;
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        return false;
    }

    boolean isRunning() {
        return process.isAlive();
    }

    /** As its last progress line has it. */
    long sent() {
        long sent = 0;
        Matcher lines = SENT.matcher(output());
        while (lines.find()) sent = Long.parseLong(lines.group(1).replace(",", ""));
        return sent;
    }

    /** Its exit code, 0 when every message was accounted for; -1 if it did not end in time. */
    int result(Duration limit) throws InterruptedException {
        if (process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) return process.exitValue();
        process.destroyForcibly();
        return -1;
    }

    String output() {
        try {
            return Files.readString(log);
        } catch (IOException unreadable) {
            return "";
        }
    }

    Path log() {
        return log;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

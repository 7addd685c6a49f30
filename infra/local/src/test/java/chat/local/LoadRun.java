package chat.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One run of the load client, a process as people start it, which judges what became of every message. */
final class LoadRun {
    private static final Path JAR = TestPlaces.root().resolve("load-client/target/load-client.jar");
    private static final Pattern SENT = Pattern.compile("sent ([0-9,]+)/");
    private static final int LIMIT_SECONDS = 180;

    private final Process process;
    private final Path output;

    private LoadRun(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    static LoadRun start(Path directory, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-jar",
                JAR.toString(),
                "fanout",
                // A broker that is started again is away for longer than five tries.
                "--retries",
                "100"));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(directory, "load", ".log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new LoadRun(process, output);
    }

    /** Whether messages are under way. */
    boolean isSending() throws IOException {
        Matcher sent = SENT.matcher(output());
        boolean sending = false;
        while (sent.find()) sending |= !sent.group(1).equals("0");
        return sending;
    }

    /** Its exit code: 0 when every message was accounted for. */
    int result() throws InterruptedException {
        if (process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) return process.exitValue();
        process.destroyForcibly();
        return -1;
    }

    boolean isRunning() {
        return process.isAlive();
    }

    String output() throws IOException {
        return Files.readString(output, StandardCharsets.UTF_8);
    }
}

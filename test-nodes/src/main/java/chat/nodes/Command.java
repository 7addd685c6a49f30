package chat.nodes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs programs that exit by themselves. */
final class Command {
    private Command() {}

    /** A program's exit code and its output on both streams. */
    record Outcome(int exitCode, String output) {
        boolean succeeded() {
            return exitCode == 0;
        }
    }

    static Outcome run(Duration timeout, List<String> words) {
        return run(timeout, "", environment -> {}, words);
    }

    /** Runs a program; fails if it cannot be started. Kills it and fails if it does not exit within {@code timeout}. */
    static Outcome run(Duration timeout, String input, Consumer<Map<String, String>> environment, List<String> words) {
        // Files, not pipes: a server started by the program inherits them, and a pipe would never end.
        Path in = null;
        Path out = null;
        try {
            in = Files.createTempFile("confab-", ".in");
            out = Files.createTempFile("confab-", ".out");
            Files.writeString(in, input);
            ProcessBuilder builder = new ProcessBuilder(words)
                    .redirectInput(in.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile());
            environment.accept(builder.environment());
            Process process = builder.start();
            boolean ended = awaitExit(process, timeout);
            String output = Files.readString(out, StandardCharsets.UTF_8).strip();
            if (!ended) {
                throw new NodeException(
                        words.getFirst() + " did not exit within " + timeout.toSeconds() + " s. It printed: " + output);
            }
            return new Outcome(process.exitValue(), output);
        } catch (IOException e) {
            throw new NodeException("Cannot run " + words.getFirst() + ": " + e.getMessage(), e);
        } finally {
            delete(in);
            delete(out);
        }
    }

    private static boolean awaitExit(Process process, Duration timeout) {
        boolean ended = false;
        try {
            ended = process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new NodeException(
                    "Interrupted while " + process.info().command().orElse("a program") + " ran", e);
        } finally {
            if (!ended) {
                Processes.kill(process.toHandle());
            }
        }
        return ended;
    }

    private static void delete(@Nullable Path file) {
        if (file != null) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException ignored) {
                // The system deletes the small temporary file later.
            }
        }
    }
}

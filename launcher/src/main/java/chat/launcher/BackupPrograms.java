package chat.launcher;

import chat.launcher.platform.StartFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Runs PostgreSQL's programs and the scripts of {@code infra/backup} for a drill. If this JVM runs as root, they run in
 * user namespaces, where root has no privileges, because PostgreSQL refuses to run as root. Thread-safe.
 */
final class BackupPrograms implements AutoCloseable {
    private static final long GRACE_SECONDS = 10;

    private final Path scripts;
    private final Path outputs;
    /** The environment variable PATH; later with the PostgreSQL programs that the scripts use. */
    private String path;

    private final List<String> prefix;
    private final Set<Process> running = new LinkedHashSet<>();
    private volatile String host = "";
    private boolean closed;
    private int outputNumber;

    /** Holds the exit code and the output of a program. */
    record Result(int exitCode, String output, String errors) {
        boolean succeeded() {
            return exitCode == 0;
        }
    }

    /**
     * @param scripts the directory {@code infra/backup}
     * @param outputs directory for the output of the programs
     * @throws StartFailure if PostgreSQL's programs are missing or cannot run
     */
    BackupPrograms(Path scripts, Path outputs) throws InterruptedException {
        this.scripts = scripts;
        this.outputs = outputs;
        this.prefix = ProcessHandle.current().info().user().orElse("").equals("root")
                ? List.of("unshare", "--user")
                : List.of();
        this.path = System.getenv().getOrDefault("PATH", "");
        findPostgres();
    }

    private void findPostgres() throws InterruptedException {
        Result found = result(List.of(
                "bash",
                "-c",
                ". \"$0\" && find_postgres && printf %s \"$PATH\"",
                scripts.resolve("lib.sh").toString()));
        if (!found.succeeded()) throw new StartFailure(found.errors());
        if (!prefix.isEmpty() && !result(words("true")).succeeded())
            throw new StartFailure(
                    "PostgreSQL refuses to run as root, and this system forbids unshare --user: run the drill"
                            + " as another user.");
        path = found.output();
    }

    /** Sets the directory of the socket of the server that SQL goes to. */
    void connectTo(Path sockets) {
        host = sockets.toString();
    }

    /** Returns the words of a command that runs a script of {@code infra/backup}. */
    List<String> script(String name, String... arguments) {
        return append(words(scripts.resolve(name).toString()), arguments);
    }

    /** Returns the words of a command that runs one of PostgreSQL's programs. */
    List<String> program(String name, String... arguments) {
        return append(words(name), arguments);
    }

    /** Returns the words of a command that runs SQL and prints the bare values. */
    List<String> psql(String... arguments) {
        return append(
                program(
                        "psql",
                        "--no-psqlrc",
                        "--no-password",
                        "--tuples-only",
                        "--no-align",
                        "--quiet",
                        "--set",
                        "ON_ERROR_STOP=1"),
                arguments);
    }

    private List<String> words(String program) {
        List<String> words = new ArrayList<>(prefix);
        // env looks the program up on the child's PATH; this JVM would use its own.
        words.addAll(List.of("/usr/bin/env", program));
        return words;
    }

    private static List<String> append(List<String> words, String... more) {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of(more));
        return all;
    }

    /** Runs one SQL statement and returns its output without the last line break. */
    String sql(String statement) throws InterruptedException {
        return require(psql("--command", statement));
    }

    /** Runs a program and returns its output; fails if it fails. */
    String require(List<String> words) throws InterruptedException {
        Result result = result(words);
        if (!result.succeeded())
            throw new DrillFailure(String.join(" ", words) + " failed with code " + result.exitCode() + ": "
                    + result.errors() + result.output());
        return result.output();
    }

    /** Runs a program and waits for its end. */
    Result result(List<String> words) throws InterruptedException {
        // Files, not pipes: a server that the program starts inherits them, and a pipe would never end.
        Path out = newOutput("out");
        Path errors = newOutput("err");
        Process process = start(words, out, errors);
        try {
            return new Result(process.waitFor(), read(out), read(errors));
        } finally {
            forget(process);
        }
    }

    private synchronized Path newOutput(String extension) {
        return outputs.resolve(++outputNumber + "." + extension);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8).strip();
        } catch (IOException unreadable) {
            throw new DrillFailure("cannot read " + file + ": " + unreadable);
        }
    }

    /** Starts a program in the background; {@link #close} ends it. */
    synchronized Process start(List<String> words, Path out, Path errors) {
        if (closed) throw new DrillFailure("stopped");
        try {
            Process process = builder(words)
                    .redirectOutput(out.toFile())
                    .redirectError(errors.toFile())
                    .start();
            process.getOutputStream().close();
            running.add(process);
            return process;
        } catch (IOException failure) {
            throw new DrillFailure("cannot run " + words + ": " + failure.getMessage());
        }
    }

    private ProcessBuilder builder(List<String> words) {
        ProcessBuilder builder = new ProcessBuilder(words);
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("PG"));
        environment.putAll(Map.of("PGUSER", "confab", "PGDATABASE", "confab", "PGPORT", "5432", "PGHOST", host));
        environment.put("PATH", path);
        return builder;
    }

    private synchronized void forget(Process process) {
        running.remove(process);
    }

    /** Stops a server without a checkpoint; also after {@link #close}. Reports nothing: there is nothing left to do. */
    void stopServer(Path data) {
        try {
            Process stop = builder(
                            program("pg_ctl", "--pgdata", data.toString(), "--mode", "immediate", "--silent", "stop"))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            stop.waitFor();
        } catch (IOException notInstalled) {
            // Then no server was started.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the running programs and starts no further ones, except by {@link #stopServer}. */
    @Override
    public void close() {
        List<Process> ending;
        synchronized (this) {
            closed = true;
            ending = List.copyOf(running);
        }
        ending.forEach(Process::destroy);
        for (Process process : ending) end(process);
    }

    private static void end(Process process) {
        try {
            if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) process.destroyForcibly();
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}

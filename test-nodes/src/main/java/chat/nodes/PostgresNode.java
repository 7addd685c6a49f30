package chat.nodes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs a PostgreSQL server, with binaries of the class path, as a separate process on 127.0.0.1. Committed data is on
 * disk (fsync, full_page_writes and synchronous_commit are on). Clients need the password, which is in the directory in
 * a file that only this user may read.
 *
 * <p>PostgreSQL refuses to run as root, so it runs in its own user namespace if this JVM runs as root. The server
 * survives if this JVM is killed; the next start on the directory finds and stops it.
 *
 * <p>Thread-safe; starting and stopping wait for each other.
 */
public final class PostgresNode implements AutoCloseable {
    private static final String USER = "confab";
    private static final String DATABASE = "confab";
    private static final Duration TIMEOUT = Duration.ofSeconds(90);
    private static final int PG_CTL_TIMEOUT_S = 60;
    private static final Duration MEMORY_TIMEOUT = Duration.ofSeconds(10);
    private static final String MEMORY_IN_USE = "pre-existing shared memory block";
    private static final int TAIL = 4_000;

    private final PostgresSettings settings;
    private final Path directory;
    private final Path data;

    private @Nullable Path binaries;
    private @Nullable DirectoryLock lock;
    private @Nullable ProcessHandle postmaster;

    public PostgresNode(PostgresSettings settings) {
        this.settings = settings;
        this.directory = Directories.real(settings.directory());
        this.data = directory.resolve("data");
    }

    /**
     * Starts the server and returns when it accepts connections: after less than a second, on an empty directory about
     * 3 s, the first time for this user a few seconds more. Does nothing if it runs. First stops a server that a killed
     * JVM has left on the directory.
     *
     * @return this
     * @throws NodeException if the directory or the port is in use, another major version wrote the data, the system
     *     does not let root start PostgreSQL, or the server does not start
     */
    public synchronized PostgresNode start() {
        if (postmaster != null && Processes.isRunning(postmaster)) {
            return this;
        }
        postmaster = null;
        if (lock == null) {
            lock = DirectoryLock.acquire(directory);
        }
        try {
            checkRootMayStart();
            binaries = PostgresBinaries.unpacked(
                    PostgresBinaries.userCacheOr(directory.resolve("programs")), settings.progress());
            stopOrphan();
            if (!Ports.becomesFree(settings.port())) {
                throw new NodeException(
                        "Port " + settings.port() + " on 127.0.0.1 is in use: PostgreSQL cannot listen there");
            }
            if (Files.exists(data)) {
                checkVersion();
            } else {
                createData();
            }
            settings.progress().accept("Starting PostgreSQL on port " + settings.port());
            startServer();
        } catch (IOException e) {
            throw new NodeException("Cannot use " + directory + ": " + e, e);
        }
        return this;
    }

    /** Returns the URL without user and password; it is the same after each start. */
    public String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + settings.port() + "/" + DATABASE;
    }

    /** Returns the owner of the database and of the server. */
    public String user() {
        return USER;
    }

    /** Returns the password of {@link #user()}, generated at random with the data. */
    public String password() {
        try {
            return Files.readString(passwordFile()).strip();
        } catch (IOException e) {
            throw new NodeException("Cannot read the password of " + data + " from " + passwordFile() + ": " + e, e);
        }
    }

    public int port() {
        return settings.port();
    }

    /** Returns the server's log since its last start. */
    public Path log() {
        return directory.resolve("postgres.log");
    }

    /** Returns the process id of the postmaster, the parent of all other processes. */
    public synchronized long pid() {
        return running().pid();
    }

    public synchronized boolean isRunning() {
        return postmaster != null && Processes.isRunning(postmaster);
    }

    /** Closes connections and stops the server, also a paused one. It can be started again. */
    public synchronized void stop() {
        if (postmaster != null) {
            stopServer(postmaster);
            postmaster = null;
        }
    }

    /** Kills the server and all its processes (SIGKILL) to simulate a crash. It can be started again. */
    public synchronized void kill() {
        Processes.kill(running());
        postmaster = null;
    }

    /** Pauses the server and all its processes (SIGSTOP): connections stay open without traffic. */
    public synchronized void pause() {
        Processes.suspend(running());
    }

    /** Resumes a paused server. */
    public synchronized void resume() {
        Processes.resume(running());
    }

    /** Promotes this standby to a primary that accepts writes. It must run. */
    synchronized void promote() {
        running();
        check(
                "pg_ctl promote",
                run("", "pg_ctl", "promote", "--wait", "--timeout=" + PG_CTL_TIMEOUT_S, "--pgdata=" + data));
    }

    /**
     * Writes a shell script that promotes this server if it is a standby.
     *
     * @throws NodeException if the file cannot be written, or the server was never started
     */
    public synchronized void writePromote(Path script) {
        Path home = unpacked();
        String line = "#!/bin/sh\nexec %s\"%s\" promote --pgdata=\"%s\"\n"
                .formatted(isRoot() ? "unshare -U " : "", home.resolve("bin/pg_ctl"), data);
        try {
            Files.writeString(script, line);
            Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        } catch (IOException e) {
            throw new NodeException("Cannot write " + script + ": " + e, e);
        }
    }

    private Path unpacked() {
        Path home = binaries;
        if (home == null) {
            throw new NodeException("PostgreSQL is not unpacked");
        }
        return home;
    }

    /** Returns whether the data directory is that of a standby. */
    static boolean isStandby(Path data) {
        return Files.exists(data.resolve("standby.signal"));
    }

    Path data() {
        return data;
    }

    /** Stops the server and unlocks the directory; deletes it if it is temporary. */
    @Override
    public synchronized void close() {
        stop();
        if (lock != null) {
            lock.close();
            lock = null;
        }
        if (settings.temporary()) {
            try {
                Directories.delete(directory);
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot delete " + directory, e);
            }
        }
    }

    private ProcessHandle running() {
        if (postmaster == null) {
            throw new NodeException("The PostgreSQL server is not running");
        }
        return postmaster;
    }

    private Path passwordFile() {
        return directory.resolve("password");
    }

    private void createData() throws IOException {
        settings.progress().accept("Creating PostgreSQL's data in " + data);
        // Created under another name and renamed when complete, so that an interrupted start leaves no incomplete data.
        Path fresh = directory.resolve("data.new");
        Directories.delete(fresh);
        byte[] secret = new byte[16];
        new SecureRandom().nextBytes(secret);
        Files.deleteIfExists(passwordFile());
        Private.write(passwordFile(), HexFormat.of().formatHex(secret));
        check(
                "initdb",
                run(
                        "",
                        "initdb",
                        "--pgdata=" + fresh,
                        "--username=" + USER,
                        "--pwfile=" + passwordFile(),
                        "--auth=scram-sha-256",
                        "--encoding=UTF8",
                        "--locale=C",
                        "--locale-provider=builtin",
                        "--builtin-locale=C.UTF-8"));
        Files.writeString(
                fresh.resolve("postgresql.conf"),
                Files.readString(fresh.resolve("postgresql.conf")) + "\ninclude 'confab.conf'\n");
        Files.writeString(fresh.resolve("confab.conf"), configuration());
        Command.Outcome created = run(
                "CREATE DATABASE " + DATABASE + ";\n",
                "postgres",
                "--single",
                "-j",
                "-D",
                fresh.toString(),
                "postgres");
        // The single-user backend continues after an error.
        if (created.output().contains("ERROR")) {
            throw new NodeException("PostgreSQL cannot create its database: " + created.output());
        }
        check("postgres --single", created);
        Files.move(fresh, data, StandardCopyOption.ATOMIC_MOVE);
    }

    private String configuration() {
        return String.format(
                Locale.ROOT,
                """
                listen_addresses = '127.0.0.1'
                port = %d
                unix_socket_directories = ''
                max_connections = %d
                fsync = on
                full_page_writes = on
                synchronous_commit = on
                timezone = 'UTC'
                log_timezone = 'UTC'
                %s
                """,
                settings.port(),
                settings.maxConnections(),
                String.join("\n", settings.configuration()));
    }

    private void startServer() throws IOException {
        Files.writeString(data.resolve("confab.conf"), configuration());
        long deadline = System.nanoTime() + MEMORY_TIMEOUT.toNanos();
        while (true) {
            Files.deleteIfExists(log());
            Command.Outcome started = run(
                    "",
                    "pg_ctl",
                    "start",
                    "--wait",
                    "--timeout=" + PG_CTL_TIMEOUT_S,
                    "--pgdata=" + data,
                    "--log=" + log());
            if (started.succeeded()) {
                postmaster = postmasterFromFile()
                        .orElseThrow(() -> new NodeException("PostgreSQL exited at once. It logged: " + tail()));
                return;
            }
            String logged = tail();
            // If only the postmaster was killed, its children need some time to exit.
            if (!logged.contains(MEMORY_IN_USE) || System.nanoTime() - deadline > 0) {
                throw new NodeException(
                        "PostgreSQL did not start: " + started.output() + "\nIt logged (" + log() + "): " + logged);
            }
            Processes.pause();
        }
    }

    private void stopOrphan() throws IOException {
        Path file = data.resolve("postmaster.pid");
        if (!Files.exists(file)) {
            return;
        }
        Optional<ProcessHandle> orphan = postmasterFromFile();
        if (orphan.isPresent()) {
            settings.progress()
                    .accept("Stopping PostgreSQL, process " + orphan.get().pid() + " from an earlier run");
            stopServer(orphan.get());
        }
        // Left by a killed server. PostgreSQL would refuse to start if another process now has this id.
        Files.deleteIfExists(file);
    }

    /** Returns the process named in the data directory, if it is this server. */
    private Optional<ProcessHandle> postmasterFromFile() throws IOException {
        Path file = data.resolve("postmaster.pid");
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        if (lines.isEmpty() || !lines.getFirst().strip().matches("\\d{1,10}")) {
            return Optional.empty();
        }
        return ProcessHandle.of(Long.parseLong(lines.getFirst().strip()))
                .filter(Processes::isRunning)
                .filter(this::isOurPostmaster);
    }

    private boolean isOurPostmaster(ProcessHandle process) {
        // Windows does not show arguments; compare only the program's name.
        return Processes.onWindows()
                ? process.info().command().orElse("").contains("postgres")
                : Processes.isMarked(process, "postgres", data.toString());
    }

    private void stopServer(ProcessHandle server) {
        if (!Processes.isRunning(server)) {
            return;
        }
        if (!Processes.onWindows()) {
            Processes.resume(server);
        }
        Command.Outcome stopped =
                run("", "pg_ctl", "stop", "--mode=fast", "--wait", "--timeout=" + PG_CTL_TIMEOUT_S, "--pgdata=" + data);
        if (!stopped.succeeded() || !Processes.awaitEnd(server, TIMEOUT)) {
            settings.progress().accept("PostgreSQL did not stop (" + stopped.output() + "): killing it");
            Processes.kill(server);
        }
    }

    private void checkVersion() throws IOException {
        String ofData = Files.readString(data.resolve("PG_VERSION"), StandardCharsets.US_ASCII)
                .strip();
        // "postgres (PostgreSQL) 18.6"
        Command.Outcome asked = run("", "postgres", "--version");
        check("postgres --version", asked);
        String version = asked.output().replaceFirst(".*\\(PostgreSQL\\) ", "");
        String major = version.replaceFirst("\\D.*", "");
        if (!ofData.equals(major)) {
            throw new NodeException("The data in " + data + " was written by PostgreSQL " + ofData
                    + "; this is version "
                    + version + ", which cannot read it. To keep the data, dump it with pg_dump of PostgreSQL " + ofData
                    + " and restore it; to start without it, remove " + directory + ".");
        }
    }

    private void checkRootMayStart() {
        if (!isRoot()) {
            return;
        }
        Command.Outcome tried = Command.run(TIMEOUT, List.of("unshare", "-U", "true"));
        if (!tried.succeeded()) {
            throw new NodeException(
                    "PostgreSQL refuses to run as root, and this system forbids unshare -U (" + tried.output()
                            + "). Run as another user; or allow user namespaces (in Docker: --security-opt"
                            + " seccomp=unconfined; else: sysctl kernel.unprivileged_userns_clone=1); or give the address"
                            + " of a PostgreSQL server.");
        }
    }

    private static boolean isRoot() {
        return !Processes.onWindows()
                && ProcessHandle.current().info().user().orElse("").equals("root");
    }

    private Command.Outcome run(String input, String program, String... arguments) {
        Path home = unpacked();
        List<String> words = new ArrayList<>();
        if (isRoot()) {
            words.add("unshare");
            words.add("-U");
        }
        words.add(home.resolve("bin").resolve(program).toString());
        words.addAll(List.of(arguments));
        return Command.run(
                TIMEOUT, input, environment -> environment.keySet().removeIf(name -> name.startsWith("PG")), words);
    }

    private static void check(String what, Command.Outcome outcome) {
        if (!outcome.succeeded()) {
            throw new NodeException(what + " failed (exit code " + outcome.exitCode() + "): " + outcome.output());
        }
    }

    private String tail() {
        if (!Files.exists(log())) {
            return "nothing";
        }
        try {
            String content =
                    Files.readString(log(), StandardCharsets.ISO_8859_1).strip();
            return content.substring(Math.max(0, content.length() - TAIL));
        } catch (IOException e) {
            return "(cannot read " + log() + ": " + e + ")";
        }
    }
}

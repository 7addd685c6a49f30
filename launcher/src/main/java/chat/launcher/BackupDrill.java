package chat.launcher;

import chat.launcher.platform.StartFailure;
import chat.nodes.Directories;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Tests that backups can be restored, with scratch PostgreSQL servers that do not listen on the network. Creates
 * Confab's tables, writes continuously, archives WAL, takes a base backup, records a point in time and the contents of
 * all tables, continues to write, kills the server and deletes its data. Then restores to the recorded point and
 * compares every table, and restores to the end of the archive and prints what was lost.
 *
 * <p>On {@link #close}, Ctrl-C or SIGTERM stops the servers and deletes all files.
 */
final class BackupDrill implements AutoCloseable {
    private static final int TRANSACTIONS_PER_SECOND = 20;
    private static final long POLL_MILLIS = 100;
    /** Archiving one segment takes some time in addition to {@code archive_timeout}. */
    private static final long ARCHIVING_MILLIS = 10_000;

    private static final double BYTES_PER_MEGABYTE = 1_048_576;
    private static final Pattern MIGRATION = Pattern.compile("V(\\d+)__.*\\.sql");
    private static final Pattern SEGMENT = Pattern.compile("restored log file \"[0-9A-F]{24}\"");
    private static final Pattern REPLAY = Pattern.compile("redo done at .* elapsed: (.*)");
    private static final String PRIMARY = "primary";
    private static final String TO_THE_POINT = "to-the-point";
    private static final String TO_THE_END = "to-the-end";

    private final Path migrations;
    private final Size size;
    private final boolean keep;
    private final PrintStream out;
    private final Path work;
    private final Path repository;
    private final BackupPrograms programs;
    private final Thread hook = new Thread(this::close, "stop drill");
    private boolean closed;

    /**
     * Describes the size of a drill.
     *
     * @param rows number of rows before the base backup
     * @param rate rows written per second
     * @param archiveTimeout seconds, PostgreSQL's {@code archive_timeout}
     * @param seconds time to continue writing after the recorded point is archived
     */
    record Size(int rows, int rate, int archiveTimeout, int seconds) {}

    /**
     * A recorded point between two transactions.
     *
     * @param contents a line of each table: name, rows, hash
     * @param wal the WAL segment that contains the point
     */
    private record Point(List<String> contents, String time, long position, String wal) {
        static Point parse(String output) {
            int end = output.indexOf("\n\n");
            List<String> last = output.substring(end).strip().lines().toList();
            return new Point(
                    output.substring(0, end).lines().toList(), last.get(0), Long.parseLong(last.get(1)), last.get(2));
        }
    }

    /** A transaction that the writer knows to be committed: the position after it and its time in milliseconds. */
    private record Commit(long position, long millis) {
        static Commit parse(String line) {
            String[] words = line.split(" ", -1);
            return new Commit(Long.parseLong(words[0]), Long.parseLong(words[1]));
        }
    }

    /**
     * @param root the checkout of Confab
     * @param keep whether to keep all files
     * @throws StartFailure if PostgreSQL's programs are missing or cannot run
     */
    BackupDrill(Path root, Size size, boolean keep, PrintStream out) throws IOException, InterruptedException {
        this.migrations = root.resolve("persistence-consumer/src/main/resources/db/schema");
        this.size = size;
        this.keep = keep;
        this.out = out;
        this.work = Directories.temporary("confab-drill").toRealPath();
        this.repository = Files.createDirectory(work.resolve("repository"));
        Path outputs = Files.createDirectory(work.resolve("outputs"));
        try {
            this.programs = new BackupPrograms(root.resolve("infra/backup"), outputs);
        } catch (StartFailure failure) {
            delete(work);
            throw failure;
        }
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Runs the drill.
     *
     * @param tamper whether to change a restored row before the comparison
     * @throws DrillFailure if restored data differs, too much was lost, or the drill cannot continue
     */
    void run(boolean tamper) throws IOException, InterruptedException {
        startPrimary();
        fill();
        Path committed = work.resolve("committed");
        Process writer = startWriter(committed);
        backUp();
        Point point = record();
        await(
                size.archiveTimeout * 2 + 60,
                "the archive to have the recorded point",
                () -> isTrue("SELECT last_archived_wal >= '" + point.wal + "' FROM pg_stat_archiver"));
        TimeUnit.SECONDS.sleep(size.seconds);
        long killed = killPrimary();
        writer.waitFor();
        await(30, "the data directory to be deleted", () -> delete(data(PRIMARY)));
        List<Commit> commits = commits(committed);
        long written = commits.getLast().position;
        say("Killed the server and deleted its data; %d rows were committed", written);

        long rto = restore(TO_THE_POINT, "--time", point.time);
        if (tamper) programs.sql("UPDATE messages SET username = username || '!' WHERE position = 1");
        compare(point);
        programs.require(programs.program(
                "pg_ctl", "--pgdata", data(TO_THE_POINT).toString(), "--mode", "fast", "--silent", "stop"));

        long rtoToTheEnd = restore(TO_THE_END, "--latest");
        long restored = position();
        checkPositions(restored);
        if (restored < point.position)
            throw new DrillFailure("The end of the archive has fewer rows than the recorded point: " + restored);
        String log = Files.readString(work.resolve(TO_THE_END + ".log"));
        Matcher replay = REPLAY.matcher(log);
        say(
                "Restored to the end of the archive: %d rows without a gap; %d WAL segments, %s of replay",
                restored, SEGMENT.matcher(log).results().count(), replay.find() ? replay.group(1) : "unknown time");
        judge(rto, rtoToTheEnd, commits, restored, killed);
    }

    private void judge(long rto, long rtoToTheEnd, List<Commit> commits, long restored, long killed) {
        // The restored rows include commits whose confirmation did not reach the writer.
        long lastRestored = commits.stream()
                .filter(commit -> commit.position <= restored)
                .mapToLong(Commit::millis)
                .max()
                .orElse(0);
        long written = commits.getLast().position;
        long rpo = killed - lastRestored;
        say(
                "RTO %s to the recorded point, %s to the end: from the command to the first response",
                inSeconds(rto), inSeconds(rtoToTheEnd));
        say(
                "RPO %s: %d of %d committed rows were not in the archive (archive_timeout %d s)",
                inSeconds(rpo), Math.max(0, written - restored), written, size.archiveTimeout);
        if (rpo > size.archiveTimeout * 1_000L + ARCHIVING_MILLIS)
            throw new DrillFailure("The RPO is far above archive_timeout.");
    }

    private void startPrimary() throws IOException, InterruptedException {
        say(
                "Starting PostgreSQL %s in %s",
                programs.require(programs.program("pg_ctl", "--version")).replaceFirst(".*\\) ", ""), work);
        programs.require(programs.program(
                "initdb",
                "--pgdata",
                data(PRIMARY).toString(),
                "--username",
                "confab",
                "--auth",
                "trust",
                "--encoding",
                "UTF8",
                "--no-locale",
                "--data-checksums"));
        Path sockets = Files.createDirectory(work.resolve("sockets"));
        Path settings = data(PRIMARY).resolve("postgresql.conf");
        Files.writeString(
                settings,
                Files.readString(settings)
                        + "listen_addresses = ''\n"
                        + "unix_socket_directories = '" + sockets + "'\n"
                        + "shared_buffers = '256MB'\n"
                        + "max_wal_size = '4GB'\n");
        programs.connectTo(sockets);
        controlPrimary("start");
        programs.require(programs.psql("--dbname", "postgres", "--command", "CREATE DATABASE confab"));
        programs.require(programs.script(
                "configure",
                "--repository",
                repository.toString(),
                "--archive-timeout",
                Integer.toString(size.archiveTimeout)));
        controlPrimary("restart");
        for (Path migration : migrations())
            programs.require(programs.psql("--single-transaction", "--file", migration.toString()));
        programs.sql("INSERT INTO log_position (partition, position, epoch, log_offset, incarnation, sequence)"
                + " VALUES (0, 0, 1, 0, 1, 1)");
    }

    private void controlPrimary(String action) throws InterruptedException {
        programs.require(programs.program(
                "pg_ctl",
                "--pgdata",
                data(PRIMARY).toString(),
                "--log",
                work.resolve(PRIMARY + ".log").toString(),
                "--wait",
                "--silent",
                action));
    }

    /** Returns the schema's migrations in the order of their numbers. */
    private List<Path> migrations() throws IOException {
        try (Stream<Path> files = Files.list(migrations)) {
            return files.filter(file -> number(file) >= 0)
                    .sorted(Comparator.comparingInt(BackupDrill::number))
                    .toList();
        }
    }

    private static int number(Path file) {
        Matcher name = MIGRATION.matcher(String.valueOf(file.getFileName()));
        return name.matches() ? Integer.parseInt(name.group(1)) : -1;
    }

    /** Writes the rows that exist before the base backup. */
    private void fill() throws IOException, InterruptedException {
        say("Writing %d rows", size.rows);
        long began = System.nanoTime();
        String before = programs.sql("SELECT pg_current_wal_insert_lsn()");
        programs.sql(storing(size.rows));
        programs.require(programs.psql("--command", "VACUUM ANALYZE", "--command", "CHECKPOINT"));
        long wal = Long.parseLong(
                programs.sql("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '" + before + "')::bigint"));
        say(
                "  in %s; %d bytes of WAL per row, full pages and maintenance included; the database is %s",
                inSeconds(millisSince(began)),
                wal / size.rows,
                programs.sql("SELECT pg_size_pretty(pg_database_size('confab'))"));
        await(60, "a WAL segment to be archived", () -> isTrue("SELECT archived_count > 0 FROM pg_stat_archiver"));
        List<Path> segments = segments();
        if (segments.isEmpty()) return;
        long bytes = 0;
        for (Path segment : segments) bytes += Files.size(segment);
        say(
                "  %d WAL segments of 16 MB archived so far, compressed to %.1f MB",
                segments.size(), bytes / BYTES_PER_MEGABYTE);
    }

    /** Returns the archived segments without the last one, which may still be written. */
    private List<Path> segments() throws IOException {
        try (Stream<Path> files = Files.list(repository.resolve("wal"))) {
            List<Path> segments = files.filter(file -> file.toString().endsWith(".gz"))
                    .sorted()
                    .toList();
            return segments.subList(0, Math.max(0, segments.size() - 1));
        }
    }

    private String storing(int rows) throws InterruptedException {
        return programs.sql(BackupDrillSql.storing(rows));
    }

    /** Starts to write one transaction every 50 ms. The writer prints the position after each commit. */
    private Process startWriter(Path committed) throws IOException, InterruptedException {
        int batch = (size.rate + TRANSACTIONS_PER_SECOND - 1) / TRANSACTIONS_PER_SECOND;
        Path script = Files.writeString(work.resolve("writer.sql"), storing(batch) + "\n\\watch 0.05\n");
        Process writer =
                programs.start(programs.psql("--file", script.toString()), committed, work.resolve("writer.log"));
        await(30, "the first commit", () -> Files.size(committed) > 0);
        return writer;
    }

    /** Takes a base backup and returns when points in time after it exist. */
    private void backUp() throws IOException, InterruptedException {
        long began = System.nanoTime();
        programs.require(programs.script("backup", "--repository", repository.toString()));
        say("Base backup, verified, in %s", inSeconds(millisSince(began)));
        String name;
        try (Stream<Path> backups = Files.list(repository.resolve("base"))) {
            name = backups.map(backup -> String.valueOf(backup.getFileName()))
                    .filter(backup -> backup.matches("\\d.*Z"))
                    .max(Comparator.naturalOrder())
                    .orElseThrow(() -> new DrillFailure("There is no base backup in " + repository));
        }
        await(
                10,
                "the time of the base backup",
                () -> isTrue("SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD\"T\"HH24MISS\"Z\"') > '"
                        + name + "'"));
    }

    private Point record() throws IOException, InterruptedException {
        String tables = programs.sql(BackupDrillSql.TABLES);
        Path script = Files.writeString(work.resolve("record.sql"), BackupDrillSql.recording(tables));
        Point point = Point.parse(programs.require(programs.psql("--file", script.toString())));
        say("Recorded point in time: %s, %d rows, %d tables", point.time, point.position, point.contents.size());
        return point;
    }

    /** Kills all processes of the server at once, as a crash of the machine would; returns the time in milliseconds. */
    private long killPrimary() throws IOException {
        String pid = Files.readAllLines(data(PRIMARY).resolve("postmaster.pid")).getFirst();
        ProcessHandle server = ProcessHandle.of(Long.parseLong(pid.strip()))
                .orElseThrow(() -> new DrillFailure("The server has exited: see " + work.resolve(PRIMARY + ".log")));
        List<ProcessHandle> processes = new ArrayList<>(List.of(server));
        processes.addAll(server.descendants().toList());
        processes.forEach(ProcessHandle::destroyForcibly);
        return System.currentTimeMillis();
    }

    private static List<Commit> commits(Path committed) throws IOException {
        String text = Files.readString(committed);
        // The writer may have been interrupted in a line.
        return text.substring(0, text.lastIndexOf('\n') + 1)
                .lines()
                .filter(line -> !line.isBlank())
                .map(Commit::parse)
                .toList();
    }

    /** Restores to a scratch server and returns the time until its first response, in milliseconds. */
    private long restore(String name, String... target) throws IOException, InterruptedException {
        Path sockets = work.resolve(name + ".sockets");
        List<String> command = new ArrayList<>(programs.script(
                "restore",
                "--repository",
                repository.toString(),
                "--data",
                data(name).toString(),
                "--start",
                sockets.toString()));
        command.addAll(List.of(target));
        long began = System.nanoTime();
        programs.require(command);
        programs.connectTo(sockets);
        position();
        return millisSince(began);
    }

    private void compare(Point point) throws IOException, InterruptedException {
        Path script = Files.writeString(work.resolve("contents.sql"), BackupDrillSql.CONTENTS);
        List<String> found = programs.require(programs.psql("--file", script.toString()))
                .lines()
                .toList();
        if (!found.equals(point.contents)) {
            say("The restored data differs (table, rows, hash):");
            point.contents.stream().filter(line -> !found.contains(line)).forEach(line -> say("  recorded %s", line));
            found.stream().filter(line -> !point.contents.contains(line)).forEach(line -> say("  restored %s", line));
            throw new DrillFailure("The restored data is not the recorded data.");
        }
        checkPositions(point.position);
        say("Restored to the recorded point: every table has the same number of rows and the same hash");
        found.forEach(line -> say("  %s", line));
    }

    /** Rows and position are written in one transaction. Positions start at 1, so every number up to it must exist. */
    private void checkPositions(long position) throws InterruptedException {
        String found = programs.sql("SELECT count(*) || ' ' || count(DISTINCT position) || ' ' || min(position) || ' '"
                + " || max(position) FROM messages");
        if (!found.equals(position + " " + position + " 1 " + position))
            throw new DrillFailure("The position is " + position
                    + ", but the messages are (rows, distinct positions, least, greatest): " + found);
    }

    private long position() throws InterruptedException {
        return Long.parseLong(programs.sql("SELECT position FROM log_position WHERE partition = 0"));
    }

    private boolean isTrue(String query) throws InterruptedException {
        return programs.sql(query).equals("t");
    }

    private static void await(int seconds, String what, Callable<Boolean> condition)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        try {
            while (!condition.call()) {
                if (System.nanoTime() > deadline)
                    throw new DrillFailure("Timed out after " + seconds + " s waiting for " + what + ".");
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        } catch (RuntimeException | IOException | InterruptedException failure) {
            throw failure;
        } catch (Exception impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private Path data(String name) {
        return work.resolve(name);
    }

    private void say(String format, Object... arguments) {
        out.printf(Locale.ROOT, format + "%n", arguments);
        out.flush();
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    private static String inSeconds(long millis) {
        return String.format(Locale.ROOT, "%.1f s", millis / 1_000.0);
    }

    /** Returns whether everything is deleted; a process that still writes may prevent it. */
    private static boolean delete(Path directory) {
        try {
            Directories.delete(directory);
            return true;
        } catch (IOException changing) {
            return false;
        }
    }

    @Override
    public synchronized void close() {
        if (closed) return;
        closed = true;
        programs.close();
        for (String name : List.of(PRIMARY, TO_THE_POINT, TO_THE_END))
            if (Files.exists(data(name).resolve("postmaster.pid"))) programs.stopServer(data(name));
        if (keep) say("Kept all files in %s", work);
        else if (!delete(work)) say("Cannot delete %s", work);
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // The hook itself runs, or finds nothing to stop.
        }
    }
}

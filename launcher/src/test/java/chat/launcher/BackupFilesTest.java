package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests how {@code infra/backup} handles files, without PostgreSQL. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "The scripts are for bash")
class BackupFilesTest {
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final String SEGMENT = "000000010000000000000005";

    @TempDir
    Path directory;

    private Path repository;
    private Path segment;

    @BeforeEach
    void create() throws IOException {
        repository = Files.createDirectories(directory.resolve("repository"));
        Files.createDirectories(repository.resolve("base"));
        Files.createDirectories(repository.resolve("wal"));
        segment = Files.writeString(directory.resolve("segment"), "what was written");
    }

    private int run(String script, String... arguments) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>();
        words.add(TestPlaces.root().resolve("infra/backup").resolve(script).toString());
        words.addAll(List.of(arguments));
        Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output").toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private int archive() throws IOException, InterruptedException {
        return run("archive", repository.toString(), segment.toString(), SEGMENT);
    }

    private int fetch(Path to) throws IOException, InterruptedException {
        return run("fetch", repository.toString(), SEGMENT, to.toString());
    }

    /** Creates a base backup that is {@code daysAgo} days old and whose WAL starts with this segment. */
    private String base(long daysAgo, String firstSegment) throws IOException {
        String name = STAMP.format(Instant.now().minus(daysAgo, ChronoUnit.DAYS));
        Path backup = Files.createDirectory(repository.resolve("base").resolve(name));
        Files.writeString(
                backup.resolve("backup_label"),
                "START WAL LOCATION: 0/2000028 (file " + firstSegment + ")\nCHECKPOINT LOCATION: 0/2000060\n");
        return name;
    }

    private void wal(String... names) throws IOException {
        for (String name : names) Files.createFile(repository.resolve("wal").resolve(name));
    }

    private List<String> names(String below) throws IOException {
        try (Stream<Path> files = Files.list(repository.resolve(below))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void archivedFileIsFetched() throws Exception {
        assertThat(archive()).isZero();
        assertThat(names("wal")).containsExactly(SEGMENT + ".gz");
        Path back = directory.resolve("back");
        assertThat(fetch(back)).isZero();
        assertThat(back).hasSameBinaryContentAs(segment);
    }

    @Test
    void sameFileIsArchivedAgainButDifferentContentIsRejected() throws Exception {
        assertThat(archive()).isZero();
        assertThat(archive()).isZero();
        Files.writeString(segment, "of another server");
        assertThat(archive()).isEqualTo(1);
        assertThat(fetch(directory.resolve("back"))).isZero();
        assertThat(directory.resolve("back")).hasContent("what was written");
    }

    @Test
    void endOfArchiveDiffersFromAnUnreadableFile() throws Exception {
        assertThat(fetch(directory.resolve("back"))).isEqualTo(1);
        Files.write(repository.resolve("wal").resolve(SEGMENT + ".gz"), "no gzip".getBytes(StandardCharsets.US_ASCII));
        assertThat(fetch(directory.resolve("back")))
                .as("above 125 PostgreSQL gives up")
                .isGreaterThan(125);
    }

    @Test
    void unmountedArchiveIsNotItsEnd() throws Exception {
        Files.delete(repository.resolve("wal"));
        assertThat(fetch(directory.resolve("back"))).isGreaterThan(125);
    }

    @Test
    void rotationKeepsTheBackupForTheOldestRetainedTime() throws Exception {
        base(30, "000000010000000000000001");
        base(9, "000000010000000000000003");
        String eightDays = base(8, "000000010000000000000005");
        String twoDays = base(2, "000000010000000000000007");
        wal("00000002.history.gz", "000000010000000000000004.gz", "000000010000000000000004.00000028.backup.gz");
        wal("000000010000000000000005.gz", "000000010000000000000008.gz", "000000020000000000000003.gz");
        assertThat(run("rotate", "--repository", repository.toString(), "--days", "7"))
                .isZero();
        assertThat(names("base")).containsExactly(eightDays, twoDays);
        assertThat(names("wal"))
                .containsExactly("000000010000000000000005.gz", "000000010000000000000008.gz", "00000002.history.gz");
    }

    @Test
    void rotationNeverRemovesTheOnlyBackup() throws Exception {
        String only = base(400, "000000010000000000000002");
        wal("000000010000000000000001.gz", "000000010000000000000002.gz");
        assertThat(run("rotate", "--repository", repository.toString())).isZero();
        assertThat(names("base")).containsExactly(only);
        assertThat(names("wal")).containsExactly("000000010000000000000002.gz");
    }

    @Test
    void rotationRemovesNoWalWithoutABackup() throws Exception {
        wal("000000010000000000000001.gz");
        assertThat(run("rotate", "--repository", repository.toString())).isZero();
        assertThat(names("wal")).containsExactly("000000010000000000000001.gz");
    }
}

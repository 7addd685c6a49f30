package chat.kit.management;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import org.jspecify.annotations.Nullable;

/** The one flight recording that this program makes of itself, when it is told to. Thread-safe; blocks. */
final class FlightRecorder implements AutoCloseable {
    /** They hold what programs are started with: passwords, too. */
    private static final List<String> TELLING_SECRETS = List.of(
            "jdk.InitialEnvironmentVariable", "jdk.InitialSystemProperty", "jdk.JVMInformation", "jdk.SystemProcess");

    private final FlightRecordingSettings settings;
    private final Path directory;
    private @Nullable Recording recording;

    /** @param directory for the files that are fetched */
    FlightRecorder(FlightRecordingSettings settings, Path directory) {
        this.settings = settings;
        this.directory = directory;
    }

    /** How much is recorded, by the configurations that come with the JDK. */
    enum Detail {
        /** For as long as one likes: costs about 1 %. */
        DEFAULT("default"),
        /** For minutes: methods every 10 ms, allocations, locks. */
        PROFILE("profile");

        private final String configuration;

        Detail(String configuration) {
            this.configuration = configuration;
        }
    }

    /** What is being recorded. */
    record Status(Instant since, Duration maxAge, long maxBytes) {}

    /** Begins; false where a recording is under way, which goes on as it is. */
    synchronized boolean start(Detail detail) throws IOException {
        if (recording != null) return false;
        Recording begun = new Recording(configuration(detail));
        begun.setName("confab");
        TELLING_SECRETS.forEach(begun::disable);
        begun.setToDisk(true);
        begun.setMaxAge(settings.maxAge());
        begun.setMaxSize(settings.maxSize().toBytes());
        begun.start();
        recording = begun;
        return true;
    }

    private static Configuration configuration(Detail detail) throws IOException {
        try {
            return Configuration.getConfiguration(detail.configuration);
        } catch (ParseException notOfThisJdk) {
            throw new IOException(notOfThisJdk);
        }
    }

    /** Null where nothing is being recorded. */
    synchronized @Nullable Status status() {
        return recording == null
                ? null
                : new Status(
                        recording.getStartTime(),
                        settings.maxAge(),
                        settings.maxSize().toBytes());
    }

    /**
     * Writes what there is to a new file, which is the caller's to delete; the recording goes on. Null where nothing is
     * being recorded.
     */
    synchronized @Nullable Path dump() throws IOException {
        if (recording == null) return null;
        Path file = Files.createTempFile(directory, "confab-", ".jfr");
        try {
            recording.dump(file);
            return file;
        } catch (IOException | RuntimeException failure) {
            Files.deleteIfExists(file);
            throw failure;
        }
    }

    /** Ends the recording and forgets it; false where there is none. */
    synchronized boolean stop() {
        if (recording == null) return false;
        recording.close();
        recording = null;
        return true;
    }

    @Override
    public void close() {
        stop();
    }
}

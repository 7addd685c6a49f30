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

/** Controls the single flight recording of this program. Thread-safe; blocks. */
final class FlightRecorder implements AutoCloseable {
    /** Events with the program's arguments and environment, which may contain passwords; never recorded. */
    private static final List<String> TELLING_SECRETS = List.of(
            "jdk.InitialEnvironmentVariable", "jdk.InitialSystemProperty", "jdk.JVMInformation", "jdk.SystemProcess");

    /** Covers what led to an alert; older events are deleted. */
    private static final Duration MAX_AGE = Duration.ofMinutes(15);

    /** Limit of the events in the directory for temporary files, in bytes; the oldest are deleted. */
    private static final long MAX_BYTES = 100 << 20;

    private final Path directory;
    private @Nullable Recording recording;

    /** @param directory directory for dumped recordings */
    FlightRecorder(Path directory) {
        this.directory = directory;
    }

    /** Level of detail: the JDK's recording configurations. */
    enum Detail {
        /** Suitable for continuous use: costs about 1 %. */
        DEFAULT("default"),
        /** Suitable for minutes: samples methods every 10 ms, allocations, locks. */
        PROFILE("profile");

        private final String configuration;

        Detail(String configuration) {
            this.configuration = configuration;
        }
    }

    /** State of the running recording. */
    record Status(Instant since, Duration maxAge, long maxBytes) {}

    /** Starts a recording; returns false if one is running, which continues unchanged. */
    synchronized boolean start(Detail detail) throws IOException {
        if (recording != null) return false;
        Recording begun = new Recording(configuration(detail));
        begun.setName("confab");
        TELLING_SECRETS.forEach(begun::disable);
        begun.setToDisk(true);
        begun.setMaxAge(MAX_AGE);
        begun.setMaxSize(MAX_BYTES);
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

    /** Returns null if no recording is running. */
    synchronized @Nullable Status status() {
        return recording == null ? null : new Status(recording.getStartTime(), MAX_AGE, MAX_BYTES);
    }

    /**
     * Writes the recorded events to a new file, which the caller must delete; the recording continues. Returns null if
     * no recording is running.
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

    /** Stops the recording and discards it; returns false if there is none. */
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

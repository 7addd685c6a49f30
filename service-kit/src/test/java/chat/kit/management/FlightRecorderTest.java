package chat.kit.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import jdk.jfr.consumer.RecordingFile;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

class FlightRecorderTest {
    private final Path directory;
    private final FlightRecorder recorder;
    private final FlightRecordingEndpoint endpoint;

    FlightRecorderTest(@TempDir Path directory) throws IOException {
        this.directory = directory;
        this.recorder = new FlightRecorder(Files.createDirectory(directory.resolve("dumps")));
        this.endpoint = new FlightRecordingEndpoint(recorder);
    }

    @AfterEach
    void stop() {
        recorder.close();
    }

    private InputStream dump() throws IOException {
        return Objects.requireNonNull(endpoint.dump().getBody()).getInputStream();
    }

    @Test
    void recordingIsStartedFetchedRepeatedlyAndStopped() throws IOException {
        assertThat(endpoint.dump().getStatus()).isEqualTo(404);
        assertThat(endpoint.start("profile").getStatus()).isEqualTo(200);
        for (int i = 0; i < 2; i++) {
            Path file = directory.resolve(i + ".jfr");
            try (InputStream recorded = dump()) {
                Files.copy(recorded, file);
            }
            assertThat(RecordingFile.readAllEvents(file)).isNotEmpty();
        }
        assertThat(endpoint.stop().getStatus()).isEqualTo(204);
        assertThat(endpoint.stop().getStatus()).isEqualTo(404);
        assertThat(endpoint.dump().getStatus()).isEqualTo(404);
        assertThat(endpoint.start(null).getStatus()).isEqualTo(200);
    }

    @Test
    void argumentsAndEnvironmentAreNotRecorded() throws IOException {
        recorder.start(FlightRecorder.Detail.PROFILE);
        Path file = recorder.dump();
        assertThat(file).isNotNull();
        assertThat(RecordingFile.readAllEvents(file))
                .map(event -> event.getEventType().getName())
                .isNotEmpty()
                .doesNotContain(
                        "jdk.InitialEnvironmentVariable",
                        "jdk.InitialSystemProperty",
                        "jdk.JVMInformation",
                        "jdk.SystemProcess");
        String path = System.getenv("PATH");
        assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).doesNotContain(path);
    }

    @Test
    void onlyOneBoundedRecordingRunsAtATime() throws IOException {
        assertThat(endpoint.start(null).getBody())
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsAllEntriesOf(Map.of("maxAge", "PT15M", "maxBytes", 100L << 20));
        assertThat(endpoint.start(null).getStatus()).isEqualTo(409);
    }

    @Test
    void fetchedFileIsDeleted() throws IOException {
        recorder.start(FlightRecorder.Detail.DEFAULT);
        try (InputStream recorded = dump()) {
            assertThat(recorded.read()).isEqualTo('F');
        }
        assertThat(directory.resolve("dumps")).isEmptyDirectory();
    }

    @Test
    void invalidDetailIsRejected() {
        assertThatExceptionOfType(InvalidEndpointRequestException.class).isThrownBy(() -> endpoint.start("everything"));
    }
}

package chat.kit.management;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.core.io.InputStreamResource;
import org.springframework.core.io.Resource;

/**
 * Serves {@code /actuator/flightrecording}: POST starts a recording, GET returns the events so far as a .jfr file,
 * DELETE stops it. Disabled unless the endpoint's access is set, because a recording exposes classes, threads, paths
 * and addresses of peers.
 */
@WebEndpoint(id = "flightrecording")
final class FlightRecordingEndpoint {
    private static final int CONFLICT = 409;

    private final FlightRecorder recorder;

    FlightRecordingEndpoint(FlightRecorder recorder) {
        this.recorder = recorder;
    }

    /** @param detail {@code default} or {@code profile} */
    @WriteOperation
    WebEndpointResponse<Object> start(@Nullable String detail) throws IOException {
        if (!recorder.start(detail(detail)))
            return refused(CONFLICT, "a recording is running: GET it, or DELETE it first");
        FlightRecorder.Status status = recorder.status();
        return status == null
                ? refused(CONFLICT, "another request stopped the recording")
                : new WebEndpointResponse<>(Map.of(
                        "since", status.since().toString(),
                        "maxAge", status.maxAge().toString(),
                        "maxBytes", status.maxBytes()));
    }

    private static FlightRecorder.Detail detail(@Nullable String detail) {
        if (detail == null) return FlightRecorder.Detail.DEFAULT;
        return Arrays.stream(FlightRecorder.Detail.values())
                .filter(one -> one.name().toLowerCase(Locale.ROOT).equals(detail))
                .findFirst()
                .orElseThrow(() -> new InvalidEndpointRequestException(
                        "detail must be default or profile", "detail must be default or profile"));
    }

    @ReadOperation(produces = "application/octet-stream")
    WebEndpointResponse<Resource> dump() throws IOException {
        Path file = recorder.dump();
        if (file == null) return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
        // The file is deleted when it has been sent or the client disconnects.
        return new WebEndpointResponse<>(
                new InputStreamResource(Files.newInputStream(file, StandardOpenOption.DELETE_ON_CLOSE)));
    }

    @DeleteOperation
    WebEndpointResponse<Object> stop() {
        return new WebEndpointResponse<>(
                recorder.stop() ? WebEndpointResponse.STATUS_NO_CONTENT : WebEndpointResponse.STATUS_NOT_FOUND);
    }

    private static WebEndpointResponse<Object> refused(int status, String reason) {
        return new WebEndpointResponse<>(Map.of("status", status, "detail", reason), status);
    }
}

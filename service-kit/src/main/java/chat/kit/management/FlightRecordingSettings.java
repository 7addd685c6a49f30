package chat.kit.management;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Limits the disk space of a flight recording in the directory for temporary files. When it reaches one of the limits,
 * the oldest events are deleted.
 *
 * @param maxAge of what is kept, 10 s to 1 day
 * @param maxSize of what is kept, 1 MB to 10 GB
 */
@ConfigurationProperties("chat.flight-recording")
public record FlightRecordingSettings(
        @DefaultValue("15m") Duration maxAge,
        @DefaultValue("100MB") DataSize maxSize) {
    private static final DataSize LEAST = DataSize.ofMegabytes(1);
    private static final DataSize MOST = DataSize.ofGigabytes(10);

    public FlightRecordingSettings {
        if (maxAge.compareTo(Duration.ofSeconds(10)) < 0 || maxAge.compareTo(Duration.ofDays(1)) > 0)
            throw new IllegalArgumentException("max-age must be 10 seconds to 1 day");
        if (maxSize.compareTo(LEAST) < 0 || maxSize.compareTo(MOST) > 0)
            throw new IllegalArgumentException("max-size must be 1MB to 10GB");
    }
}

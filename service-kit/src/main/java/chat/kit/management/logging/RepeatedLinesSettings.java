package chat.kit.management.logging;

import chat.kit.admission.Rate;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits how often the same line is logged. Lines are the same if they have the same logger, level and text, regardless
 * of arguments, and of numbers and ids in the text.
 *
 * @param perSecond sustained rate of one line, 0.001 to 1,000,000; 0: no limit
 * @param burst lines written at once after a pause, 1 to 1,000,000
 * @param maxLines distinct lines that are counted, 1 to 100,000; further ones start without a burst
 * @param report interval of the summary of omitted lines, 1 s to 1 hour
 */
@ConfigurationProperties("chat.logging.repeated")
public record RepeatedLinesSettings(
        @DefaultValue("1") double perSecond,
        @DefaultValue("20") int burst,
        @DefaultValue("1000") int maxLines,
        @DefaultValue("10s") Duration report) {
    public RepeatedLinesSettings {
        Rate unusedRate = new Rate(perSecond, burst);
        if (maxLines < 1 || maxLines > 100_000) throw new IllegalArgumentException("max-lines must be 1 to 100000");
        if (report.compareTo(Duration.ofSeconds(1)) < 0 || report.compareTo(Duration.ofHours(1)) > 0)
            throw new IllegalArgumentException("report must be 1 second to 1 hour");
    }

    Rate rate() {
        return new Rate(perSecond, burst);
    }
}

package chat.kit.management.logging;

import chat.kit.admission.Rate;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits how often the same line is logged. Lines are the same if they have the same logger, level and text, regardless
 * of arguments, and of numbers and ids in the text.
 *
 * @param perSecond sustained rate of one line, 0.001 to 1,000,000; 0: unlimited
 * @param burst lines at once after a pause, 1 to 1,000,000
 */
@ConfigurationProperties("chat.logging.repeated")
public record RepeatedLinesSettings(
        @DefaultValue("1") double perSecond,
        @DefaultValue("20") int burst) {
    public RepeatedLinesSettings {
        Rate unusedRate = new Rate(perSecond, burst);
    }

    Rate rate() {
        return new Rate(perSecond, burst);
    }
}

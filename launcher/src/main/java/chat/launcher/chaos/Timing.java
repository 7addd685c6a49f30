package chat.launcher.chaos;

import java.time.Duration;

/**
 * Determines how long faults and their loads last.
 *
 * @param before shortest load before each fault; the longest is twice as long
 * @param outage time for which a program is stopped, paused or blocked
 * @param databaseOutage time for which the database is stopped
 * @param repair maximum of the load after the end of a fault
 */
public record Timing(Duration before, Duration outage, Duration databaseOutage, Duration repair) {
    public static final Timing STANDARD = ofSeconds(5, 10, 20, 90);
    /** For runs of hours. */
    public static final Timing LONG = ofSeconds(5, 10, 60, 90);

    public static Timing ofSeconds(int before, int outage, int databaseOutage, int repair) {
        return new Timing(
                Duration.ofSeconds(before),
                Duration.ofSeconds(outage),
                Duration.ofSeconds(databaseOutage),
                Duration.ofSeconds(repair));
    }
}

package chat.load.plan;

import java.time.Duration;

/**
 * A scenario: what is to happen, as data. Running it is the driver's part, judging it the checker's.
 *
 * @param scenario its name on the command line
 * @param payload bytes of each text, at least, 1 to 500
 * @param sends how fast a member may send its own messages
 * @param connects how fast members connect, all together
 * @param seed of filler and jitter; ids never depend on it
 * @param timeout how long nothing at all may move forward before the run is given up, and how long storing may take
 */
public record Plan(
        String scenario,
        Numbering numbering,
        int payload,
        Pacing.Window sends,
        Pacing.Rate connects,
        Placement placement,
        long seed,
        Duration timeout) {
    private static final int MAX_PAYLOAD = 500;

    public Plan {
        if (payload < 1 || payload > MAX_PAYLOAD)
            throw new IllegalArgumentException("payload must be 1 to " + MAX_PAYLOAD + " bytes");
        if (timeout.compareTo(Duration.ofSeconds(1)) < 0)
            throw new IllegalArgumentException("timeout must be at least 1 second");
    }
}

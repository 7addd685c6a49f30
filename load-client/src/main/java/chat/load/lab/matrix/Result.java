package chat.load.lab.matrix;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Holds the result of one run.
 *
 * @param exitCode of the load client; -1 if it did not complete
 * @param reason why the run did not pass, as text; empty if it passed
 * @param seconds including the platform's start, warm-ups and stop
 * @param figures null if there are none
 */
public record Result(
        Run run,
        Path folder,
        Outcome outcome,
        int exitCode,
        String reason,
        double seconds,
        @Nullable Figures figures) {
    public enum Outcome {
        PASS,
        /** Measured, and a check failed. */
        FAIL,
        /** Nothing was judged: the platform did not start, no server was reachable, or the run took too long. */
        NOT_JUDGED
    }
}

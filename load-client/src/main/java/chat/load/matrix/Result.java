package chat.load.matrix;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What became of one run.
 *
 * @param exitCode of the load client; -1 where it did not come to its end
 * @param reason why there is no PASS, in words; empty where there is
 * @param seconds with the platform's start, the warm-ups and its stop
 * @param figures null where there are none
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
        /** Measured, and a promise was broken. */
        FAIL,
        /** Nothing was judged: the platform did not start, nobody could be reached, or it took too long. */
        NOT_JUDGED
    }
}

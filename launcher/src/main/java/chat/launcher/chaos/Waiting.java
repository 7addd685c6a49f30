package chat.launcher.chaos;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for conditions. */
final class Waiting {
    /** Timeout of every wait. */
    static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final long POLL_MILLIS = 100;

    private Waiting() {}

    /**
     * Waits until the condition holds.
     *
     * @param what is waited for, for people
     * @throws ChaosFailure if it does not hold within two minutes
     */
    static void until(String what, BooleanSupplier condition) throws InterruptedException {
        if (!within(PATIENCE, condition))
            throw new ChaosFailure("timed out after " + PATIENCE.toSeconds() + " s waiting for " + what);
    }

    /** Returns whether the condition holds within the limit. */
    static boolean within(Duration limit, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) return false;
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        return true;
    }
}

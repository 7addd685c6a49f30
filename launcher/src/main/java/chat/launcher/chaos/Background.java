package chat.launcher.chaos;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Repeats a step on a thread of its own until it is stopped. */
final class Background {
    private final Thread thread;
    private volatile boolean stopping;
    private volatile @Nullable Exception failure;

    /** A step that may fail; a failure ends the repetition. */
    interface Step {
        void run() throws Exception;
    }

    Background(String name, Step step) {
        thread = Thread.ofVirtual().name(name).start(() -> {
            try {
                while (!stopping) step.run();
            } catch (Exception failed) {
                failure = failed;
            }
        });
    }

    /**
     * Waits for the end of the current step.
     *
     * @throws ChaosFailure if a step failed
     */
    void stop() throws InterruptedException {
        stopping = true;
        thread.join(TimeUnit.SECONDS.toMillis(Waiting.PATIENCE.toSeconds()));
        Exception failed = failure;
        if (failed != null) throw new ChaosFailure(thread.getName() + " failed: " + failed);
        if (thread.isAlive()) throw new ChaosFailure(thread.getName() + " does not end");
    }
}

package chat.log;

/** Like {@link System#nanoTime}, but can be paused. Thread-safe. */
final class PausableTime {
    private static final long RUNS = Long.MIN_VALUE;

    private long stoodStill;
    private long pausedAt = RUNS;

    synchronized long nanoTime() {
        return (pausedAt == RUNS ? System.nanoTime() : pausedAt) - stoodStill;
    }

    synchronized void pause() {
        pausedAt = System.nanoTime();
    }

    synchronized void goOn() {
        stoodStill += System.nanoTime() - pausedAt;
        pausedAt = RUNS;
    }
}

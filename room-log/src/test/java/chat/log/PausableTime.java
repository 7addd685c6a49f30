package chat.log;

/** As {@link System#nanoTime}, but it can be made to stand still. Thread-safe. */
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

package chat.load.plan;

/**
 * Computes waits with full jitter: uniformly distributed between zero and a ceiling that doubles with each attempt.
 *
 * @param baseMillis the first ceiling
 * @param capMillis the highest ceiling
 * @see <a href="https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/">why full jitter</a>
 */
public record Backoff(long baseMillis, long capMillis) {
    public static final Backoff DEFAULT = new Backoff(500, 10_000);

    public Backoff {
        if (baseMillis < 1 || capMillis < baseMillis)
            throw new IllegalArgumentException("base must be at least 1 ms and cap at least base");
    }

    /**
     * @param attempt counted from 0
     * @param random uniformly distributed in [0, 1)
     */
    public long delayMillis(int attempt, double random) {
        long ceiling = attempt >= 32 ? capMillis : Math.min(capMillis, baseMillis << attempt);
        return (long) (random * ceiling);
    }
}

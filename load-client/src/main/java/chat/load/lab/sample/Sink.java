package chat.load.lab.sample;

/**
 * Receives the values of a probe. They belong to the second that has just ended: gauges are as of its end, rates cover
 * the time since the probe's last sample.
 */
interface Sink {
    /** @param name {@code source.metric} */
    void gauge(String name, double value);

    /**
     * Records the growth per second of a total that only grows. The first total, and one smaller than the last, only
     * begin the counting.
     */
    default void counter(String name, double total) {
        counter(name, 0, total);
    }

    /** @param life identifies the counting program, such as its start time: another life restarts the count */
    void counter(String name, long life, double total);

    /**
     * Records the growth of a total divided by the growth of another, such as the mean of a timer. Records nothing if
     * the second total did not grow.
     */
    void quotient(String name, long life, double total, double perTotal);

    /** Adds a note for the report that holds for the whole run; repeated notes count once. */
    void note(String text);
}

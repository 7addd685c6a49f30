package chat.load.lab.sample;

/**
 * Receives the values of a probe. They belong to the second that has just ended: gauges are as of its end, rates cover
 * the time since the probe's last sample.
 */
interface Sink {
    /** @param name {@code source.metric} */
    void gauge(String name, double value);

    /**
     * A total that only grows; becomes its growth per second. The first total only begins the counting, and so does one
     * that is smaller than the last.
     */
    default void counter(String name, double total) {
        counter(name, 0, total);
    }

    /** @param life of what counts, such as a process id: a total of another life restarts the count */
    void counter(String name, long life, double total);

    /**
     * Two totals; becomes the growth of the first for each one that the second grew by, such as the mean of a timer. No
     * value where the second did not grow.
     */
    void quotient(String name, long life, double total, double perTotal);

    /** Says something that holds for the whole run; the same text is kept once. */
    void tell(String text);
}

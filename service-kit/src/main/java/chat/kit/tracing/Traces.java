package chat.kit.tracing;

/** Records the paths of messages. Thread-safe, never waits; drops and counts steps beyond its limits. */
public interface Traces {

    /**
     * Returns whether this message is traced. Each component calls it once per message, because the number of traced
     * messages per second is limited.
     *
     * @param idHigh upper half of its id
     * @param idLow lower half of its id
     */
    boolean includes(long idHigh, long idLow);

    void tell(Step step);
}

package chat.kit.tracing;

/** Where the way of messages is told. Thread-safe, never waits; what there is no room for is left out and counted. */
public interface Traces {

    /**
     * Whether this message is traced: to be asked once by each who would tell something of it, since there is a bound on how
     * many are in a second.
     *
     * @param idHigh upper half of its id
     * @param idLow lower half of its id
     */
    boolean includes(long idHigh, long idLow);

    void tell(Step step);
}

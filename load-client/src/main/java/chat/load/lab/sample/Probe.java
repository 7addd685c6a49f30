package chat.load.lab.sample;

/** Takes samples of one source during a run. Called by one thread at a time. */
interface Probe extends AutoCloseable {
    /** Describes the probe; the message about a failed probe begins with it. */
    String name();

    /** Interval between samples. */
    default int everySeconds() {
        return 1;
    }

    /**
     * Takes one sample. It is interrupted after {@link Sampler#DEADLINE}, or when the next sample is due if that is
     * later; until it returns, no other sample is taken.
     *
     * @throws Exception if no sample could be taken; the next one is taken as planned
     */
    void sample(Sink sink) throws Exception;

    /** Releases resources; no sample is taken afterwards. */
    @Override
    default void close() {}
}

package chat.load.lab.sample;

/** One place that is asked again and again while a run lasts. Asked by one thread at a time. */
interface Probe extends AutoCloseable {
    /** Describes the probe; the message about a failed probe begins with it. */
    String name();

    /** How often it is asked. */
    default int everySeconds() {
        return 1;
    }

    /**
     * Asks once. While it does, it is not asked again; after {@link Sampler#DEADLINE}, or when it was due again if that is
     * later, it is interrupted.
     *
     * @throws Exception it could not be asked; it will be again
     */
    void sample(Sink sink) throws Exception;

    /** Ends what it holds; it is not asked again. */
    @Override
    default void close() {}
}

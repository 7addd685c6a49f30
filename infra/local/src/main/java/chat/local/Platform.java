package chat.local;

/** A running Confab. */
interface Platform extends AutoCloseable {
    /**
     * Returns when people can chat.
     *
     * @throws StartFailure or {@link chat.nodes.NodeException}
     */
    void start();

    /** Stops everything that was started, in the order that loses nothing; any thread, any time, once. */
    @Override
    void close();
}

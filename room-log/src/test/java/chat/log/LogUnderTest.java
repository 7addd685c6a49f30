package chat.log;

/** A log with several servers and the faults that a test can cause. Each method returns when its effect is complete. */
interface LogUnderTest extends AutoCloseable {
    /** The log as seen by another server, through its own connections; closed with this log. */
    RoomLog server();

    /** Cuts all publishing connections, also during publishing; they reconnect automatically. */
    void cutPublishing();

    /** Cuts all reading connections; they reconnect automatically. */
    void cutReading();

    /** Makes the log unreachable until {@link #comeUp}. */
    void goDown();

    void comeUp();

    /** Makes the log accept entries without answering until {@link #goOn}. */
    void hang();

    void goOn();

    /** Makes the log return all entries appended to a partition until {@link #route}. */
    void unroute(int partition);

    void route(int partition);

    void deleteAndDeclareAgain(int partition);

    /**
     * Removes all entries up to this offset.
     *
     * @param writeSome appends entries if the log must grow for that
     */
    void truncateBelow(int partition, long offset, Runnable writeSome);

    /** Saves the current state of the log for {@link #loseTail}. */
    void remember();

    /** Restores the saved state. */
    void loseTail();

    @Override
    void close();
}

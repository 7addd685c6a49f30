package chat.log;

/** A log with several servers on it, and everything that can happen to it. All that it does has happened on return. */
interface LogUnderTest extends AutoCloseable {
    /** The log as another server sees it, through connections of its own; closed with this. */
    RoomLog server();

    /** Cuts all connections that publish, in the middle of publishing if somebody does; they come back by themselves. */
    void cutPublishing();

    /** Cuts all connections that read; they come back by themselves. */
    void cutReading();

    /** The log is there for nobody until {@link #comeUp}. */
    void goDown();

    void comeUp();

    /** The log takes entries and answers nothing until {@link #goOn}. */
    void hang();

    void goOn();

    /** What is appended to a partition is returned, until {@link #route}. */
    void unroute(int partition);

    void route(int partition);

    void deleteAndDeclareAnew(int partition);

    /**
     * Everything up to this offset is gone.
     *
     * @param writeSome appends entries, where the log must grow for that
     */
    void truncateBelow(int partition, long offset, Runnable writeSome);

    /** Remembers the log as it is, for {@link #loseTail}. */
    void remember();

    /** The log is what it was when it was remembered. */
    void loseTail();

    @Override
    void close();
}

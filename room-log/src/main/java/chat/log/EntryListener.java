package chat.log;

/** Observes the entries that this program publishes. Called on the partitions' loops, so it must not block. */
public interface EntryListener {
    EntryListener NONE = new EntryListener() {};

    /** An entry with messages is appended for the first time. */
    default void published(int messages, int bytes) {}

    /**
     * An entry of any kind is confirmed.
     *
     * @param nanos since this attempt to append it
     */
    default void confirmed(long nanos) {}

    /**
     * An entry with messages is read back.
     *
     * @param nanos since it was appended for the first time
     */
    default void readBack(long nanos) {}
}

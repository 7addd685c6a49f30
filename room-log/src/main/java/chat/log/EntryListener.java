package chat.log;

/** Told of each entry with messages that this program writes; on the partitions' loops, so it must be quick. */
public interface EntryListener {
    EntryListener NONE = new EntryListener() {};

    /** It is handed to the log for the first time. */
    default void published(int messages, int bytes) {}

    /** An entry of any kind is confirmed, so long after this attempt to publish it began. */
    default void confirmed(long nanos) {}

    /** It has been read back, so long after it was handed to the log for the first time. */
    default void readBack(long nanos) {}
}

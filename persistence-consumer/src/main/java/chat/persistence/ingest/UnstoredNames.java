package chat.persistence.ingest;

import chat.log.NotStored;
import chat.log.StoredThrough;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Distributes the messages that could not become rows over notifications: each is named by a notification that reaches
 * its position, until one that names it has been read back. Confined to the partition's thread.
 */
final class UnstoredNames {
    private static final long NOTHING = -1;

    private final int limit;
    /** By position, until a notification that names them has been read back. */
    private final NavigableMap<Long, NotStored> messages = new TreeMap<>();
    /** The messages in each notification that was not read back, by its sequence. */
    private final NavigableMap<Long, Range> published = new TreeMap<>();
    /** Position after which the next notification continues: those up to it are named, though perhaps not read back. */
    private long namedThrough = NOTHING;

    /** The messages known after the first position, up to and including the last. */
    private record Range(long after, long last) {}

    /** @param limit maximum number of messages kept; the oldest are dropped */
    UnstoredNames(int limit) {
        this.limit = limit;
    }

    /** Adds messages; returns how many of the oldest it dropped. */
    int add(List<NotStored> added) {
        for (NotStored message : added)
            if (messages.put(message.position(), message) == null && message.position() <= namedThrough) {
                // This one lies within a range already named.
                published.clear();
                nameAgain();
            }
        int dropped = Math.max(0, messages.size() - limit);
        for (int i = 0; i < dropped; i++) messages.pollFirstEntry();
        return dropped;
    }

    /** Names all messages again that are not known to have been read back. */
    void nameAgain() {
        namedThrough = NOTHING;
    }

    /** Limits a position to what the next notification and those before it can name completely. */
    StoredThrough next(long wanted) {
        List<NotStored> names = new ArrayList<>();
        for (NotStored message : messages.tailMap(namedThrough, false).values()) {
            if (message.position() > wanted) break;
            if (names.size() == StoredThrough.MAX_NOT_STORED) return new StoredThrough(message.position() - 1, names);
            names.add(message);
        }
        return new StoredThrough(wanted, names);
    }

    /** A notification was published. */
    void published(long sequence, StoredThrough content) {
        if (content.notStored().isEmpty()) return;
        Range names = new Range(namedThrough, content.notStored().getLast().position());
        published.put(sequence, names);
        namedThrough = names.last();
    }

    /** A notification was read back. */
    void readBack(long sequence) {
        Range names = published.remove(sequence);
        if (names != null)
            messages.subMap(names.after(), false, names.last(), true).clear();
        // Earlier ones are lost, or lie before the position from which the reader started.
        NavigableMap<Long, Range> unread = published.headMap(sequence, false);
        for (Range lost : unread.values()) namedThrough = Math.min(namedThrough, lost.after());
        unread.clear();
    }

    /** No reader accepted this notification: the following ones name its messages. */
    void dropped(long sequence) {
        Range names = published.remove(sequence);
        if (names != null) namedThrough = Math.min(namedThrough, names.after());
    }
}

package chat.persistence.ingest;

import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The end of the range of messages that the log has lost, until a notification of exactly this position, a claim, is
 * read back: a higher one does not reveal the loss to chat servers. Confined to the partition's thread.
 */
final class LostEnd {
    private static final long NOTHING = -1;

    /** {@link #NOTHING} once a claim was read back. */
    private long position = NOTHING;
    /** Sequences of the claims that were not read back. */
    private final NavigableSet<Long> claims = new TreeSet<>();

    private boolean due;

    /** The log has lost messages up to this position. */
    void lost(long upTo) {
        position = upTo;
        claims.clear();
        due = true;
    }

    /** Claims the range again if no claim was read back. */
    void claimAgain() {
        due = position != NOTHING;
    }

    /** Whether the next notification must be a claim. */
    boolean isDue() {
        return due;
    }

    /** The position that the next notification should publish; a wanted one is only raised to the lost end. */
    long next(long wanted) {
        return due ? position : Math.max(wanted, position);
    }

    /** A notification of a position was published. */
    void published(long sequence, long published) {
        if (published != position) return;
        claims.add(sequence);
        due = false;
    }

    /** A notification was read back. */
    void readBack(long sequence) {
        if (claims.contains(sequence)) {
            claims.clear();
            position = NOTHING;
            due = false;
        } else if (claims.lower(sequence) != null) { // lost, or before the reader's start
            claims.clear();
            due = true;
        }
    }

    /** No reader accepted this notification. */
    void dropped(long sequence) {
        if (claims.remove(sequence)) due = true;
    }
}

package chat.log;

/**
 * The last entry that a reader has handled. To resume, the reader must find exactly this entry again.
 *
 * @param epoch epoch of the log, in microseconds since 1970
 * @param incarnation incarnation of the server that wrote the entry
 * @param sequence number of the entry within that incarnation
 */
public record Checkpoint(long epoch, long offset, long incarnation, long sequence) {
    /** The position of the entry itself, index 0. */
    public long position() {
        return Position.of(epoch, offset, 0);
    }

    /**
     * Compares the epoch as well: an entry republished in a later epoch keeps its sequence. A HELLO's is only a
     * proposal.
     */
    boolean matches(long otherOffset, EntryHeader header) {
        return otherOffset == offset
                && header.incarnation() == incarnation
                && header.sequence() == sequence
                && (header.epoch() == epoch || header.kind() == EntryKind.HELLO);
    }
}

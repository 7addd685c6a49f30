package chat.log;

/**
 * The last entry that a reader has dealt with; to go on, it must find exactly that one again.
 *
 * @param origin of the log, microseconds since 1970
 * @param run of the server that wrote the entry
 * @param sequence of the entry in that run
 */
public record Checkpoint(long origin, long offset, long run, long sequence) {
    /** The position of the entry itself, index 0. */
    public long position() {
        return Position.of(origin, offset, 0);
    }

    /** An entry published again for another log has the same run and sequence; a HELLO's origin is a proposal. */
    boolean matches(long otherOffset, EntryHeader header) {
        return otherOffset == offset
                && header.run() == run
                && header.sequence() == sequence
                && (header.origin() == origin || header.kind() == EntryKind.HELLO);
    }
}

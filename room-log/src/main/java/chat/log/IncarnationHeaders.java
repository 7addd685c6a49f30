package chat.log;

/**
 * Numbers the entries of one server incarnation in one partition, from 1, and makes their headers. On the partition's
 * loop only.
 */
final class IncarnationHeaders {
    private final long incarnation;
    private final String serverId;
    private long sequence;

    IncarnationHeaders(long incarnation, String serverId) {
        EntryHeader.checkServerId(serverId);
        this.incarnation = incarnation;
        this.serverId = serverId;
    }

    long incarnation() {
        return incarnation;
    }

    EntryHeader next(EntryKind kind, long epoch, long previousEpoch) {
        return new EntryHeader(kind, epoch, previousEpoch, incarnation, ++sequence, serverId);
    }
}

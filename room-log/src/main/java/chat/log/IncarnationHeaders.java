package chat.log;

/** Headers of all that one run of a server writes into one partition, numbered from 1. On the partition's loop only. */
final class IncarnationHeaders {
    private final long run;
    private final String serverId;
    private long sequence;

    IncarnationHeaders(long run, String serverId) {
        EntryHeader.checkServerId(serverId);
        this.run = run;
        this.serverId = serverId;
    }

    long run() {
        return run;
    }

    EntryHeader next(EntryKind kind, long origin, long previousOrigin) {
        return new EntryHeader(kind, origin, previousOrigin, run, ++sequence, serverId);
    }
}

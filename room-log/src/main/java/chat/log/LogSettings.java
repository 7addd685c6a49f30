package chat.log;

import java.time.Duration;

/**
 * Settings of writing and reading a partition.
 *
 * @param unconfirmed maximum number of published, unconfirmed entries of a partition; at the limit the next entry grows
 * @param linger maximum interval between two entries of a partition, and between two frames of a room; see {@link
 *     Linger}
 * @param maxEntryBytes limit of one entry, at most 512 KiB
 * @param maxEntryMessages limit of one entry, at most {@link Position#MESSAGES_PER_ENTRY}
 * @param heartbeat interval between the heartbeats of a server in each partition that it reads
 * @param silence time without an entry after which a reader subscribes again; without a response, a writer reconnects
 * @param overdue time after which an entry that was not read back is dropped; no message is published later than that
 * @param memory how far back a server reads when it starts, to learn the state that the other servers have
 * @param reconnect interval between two attempts to read a partition
 */
public record LogSettings(
        int unconfirmed,
        Duration linger,
        int maxEntryBytes,
        int maxEntryMessages,
        Duration heartbeat,
        Duration silence,
        Duration overdue,
        Duration memory,
        Duration reconnect) {
    /** Under full load, larger entries and frames make no delivery cheaper. */
    private static final Duration LINGER = Duration.ofMillis(24);

    /** Bytes of an entry: smaller ones carry less under load, see docs/measurements/sweeps. */
    private static final int MAX_ENTRY_BYTES = 512 * 1024;

    /** Three heartbeats fit into the default silence, so that one late heartbeat does not count. */
    private static final Duration HEARTBEAT = Duration.ofSeconds(5);

    /** Longer than a failover of the broker; a client waits no longer for the outcome of its message. */
    private static final Duration OVERDUE = Duration.ofSeconds(30);

    /** Four times {@link #OVERDUE}: covers every entry that may still be published again, and many heartbeats. */
    private static final Duration MEMORY = Duration.ofMinutes(2);

    /** Soon enough after a failover, rare enough for a broker that starts. */
    private static final Duration RECONNECT = Duration.ofMillis(500);

    public static final LogSettings DEFAULT = new LogSettings(2, Duration.ofSeconds(15));

    public LogSettings {
        if (unconfirmed < 1 || unconfirmed > 32) throw new IllegalArgumentException("unconfirmed must be 1 to 32");
        if (maxEntryBytes < 1024 || maxEntryBytes > 512 * 1024)
            throw new IllegalArgumentException("maxEntryBytes must be 1 KiB to 512 KiB");
        if (maxEntryMessages < 1 || maxEntryMessages > Position.MESSAGES_PER_ENTRY)
            throw new IllegalArgumentException("maxEntryMessages must be 1 to " + Position.MESSAGES_PER_ENTRY);
        if (linger.isNegative() || linger.compareTo(Duration.ofMillis(100)) > 0)
            throw new IllegalArgumentException("linger must be 0 to 100 ms");
        if (!heartbeat.isPositive() || !reconnect.isPositive() || !overdue.isPositive())
            throw new IllegalArgumentException("heartbeat, reconnect and overdue must be positive");
        if (heartbeat.multipliedBy(2).compareTo(silence) > 0)
            throw new IllegalArgumentException("silence must be at least two heartbeats");
        if (overdue.compareTo(memory) >= 0)
            throw new IllegalArgumentException("memory must be longer than overdue, to recognise duplicates");
    }

    /** Creates the settings of production, in which the other values are constants. */
    public LogSettings(int unconfirmed, Duration silence) {
        this(
                unconfirmed,
                LINGER,
                MAX_ENTRY_BYTES,
                Position.MESSAGES_PER_ENTRY,
                HEARTBEAT,
                silence,
                OVERDUE,
                MEMORY,
                RECONNECT);
    }
}

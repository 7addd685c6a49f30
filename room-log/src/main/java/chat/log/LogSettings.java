package chat.log;

import java.time.Duration;

/**
 * How a partition is written and read.
 *
 * @param unconfirmed entries that may be published and not confirmed; while so many are, the next one grows
 * @param linger between two entries of a partition while there is more than a few messages in each; with more servers that
 *     write into it two thirds of it longer for each, up to eight; where entries wait on their way twice that longer, and two
 *     thirds of it for each further server; an idle partition never waits
 * @param maxEntryBytes of one entry, 512 KiB at most
 * @param maxEntryMessages of one entry, {@link Position#MESSAGES_PER_ENTRY} at most
 * @param heartbeat between two signs of life in each partition that a server reads
 * @param silence after which a reader that heard nothing subscribes anew, and a writer that heard nothing of an entry
 *     connects anew
 * @param overdue after which an entry that was not read back is given up; nothing is published later than that
 * @param memory how far back a server reads when it starts, to know what the others know
 * @param reconnect between two attempts to read a partition
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
    public static final LogSettings DEFAULT = new LogSettings(
            2,
            Duration.ofMillis(8),
            512 * 1024,
            Position.MESSAGES_PER_ENTRY,
            Duration.ofSeconds(5),
            Duration.ofSeconds(15),
            Duration.ofSeconds(30),
            Duration.ofMinutes(2),
            Duration.ofMillis(500));

    /** So many messages in an entry, or in what a server hands on at once, are a sign of load: what follows may wait. */
    public static final int BUSY_MESSAGES = 4;

    public LogSettings {
        if (unconfirmed < 1 || unconfirmed > 32) throw new IllegalArgumentException("unconfirmed must be 1 to 32");
        if (maxEntryBytes < 1024 || maxEntryBytes > 512 * 1024)
            throw new IllegalArgumentException("maxEntryBytes must be 1 KiB to 512 KiB");
        if (maxEntryMessages < 1 || maxEntryMessages > Position.MESSAGES_PER_ENTRY)
            throw new IllegalArgumentException("maxEntryMessages must be 1 to " + Position.MESSAGES_PER_ENTRY);
        if (linger.isNegative() || linger.compareTo(Duration.ofMillis(100)) > 0)
            throw new IllegalArgumentException("linger must be 0 to 100 ms");
        if (!heartbeat.isPositive() || !reconnect.isPositive() || !overdue.isPositive())
            throw new IllegalArgumentException("heartbeat, reconnect and overdue must be longer than nothing");
        if (heartbeat.multipliedBy(2).compareTo(silence) > 0)
            throw new IllegalArgumentException("silence must be at least two heartbeats");
        if (overdue.compareTo(memory) >= 0)
            throw new IllegalArgumentException("memory must be longer than overdue: a repeated entry must be known");
    }
}

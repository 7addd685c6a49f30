package chat.server.session;

import java.time.Duration;

/**
 * Limits and timeouts of sockets.
 *
 * @param outboxBytes limit of the frames that wait for one socket
 * @param outboxTotalBytes limit of the frames in all outboxes; a shared frame counts once
 * @param handoverBytes limit of the frames between the partitions and one event loop; a shared frame counts once. The
 *     partitions wait while it is reached
 * @param pingInterval time between two pings of the server
 * @param pingGrace a socket is closed if no bytes arrive within this time after a ping
 * @param writeDeadline a socket is closed if it accepts no bytes for this time while frames wait
 * @param withoutRoom a socket is closed if it is in no room for this time
 */
public record SessionSettings(
        long outboxBytes,
        long outboxTotalBytes,
        long handoverBytes,
        Duration pingInterval,
        Duration pingGrace,
        Duration writeDeadline,
        Duration withoutRoom) {
    public SessionSettings {
        if (outboxBytes < 256 * 1024)
            throw new IllegalArgumentException("outbox must be at least 256KB, to hold the largest frames");
        if (outboxTotalBytes < outboxBytes) throw new IllegalArgumentException("outboxTotal must be at least outbox");
        if (handoverBytes < 128 * 1024) throw new IllegalArgumentException("handover must be at least 128KB");
        if (pingInterval.toMillis() < 100 || pingGrace.toMillis() < 100 || writeDeadline.toMillis() < 100)
            throw new IllegalArgumentException("pingInterval, pingGrace and writeDeadline must be at least 100 ms");
        if (withoutRoom.toMillis() < 100) throw new IllegalArgumentException("withoutRoom must be at least 100 ms");
    }
}

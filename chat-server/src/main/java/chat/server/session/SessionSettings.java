package chat.server.session;

import java.time.Duration;

/**
 * How sockets are kept.
 *
 * @param outboxBytes that may wait for one socket
 * @param outboxTotalBytes that the frames in all outboxes may take, shared ones once
 * @param handoverBytes that may lie between the partitions and one event loop, shared frames once; beyond it the
 *     partitions wait
 * @param pingInterval between two pings of the server
 * @param pingGrace after a ping, without any sign of life, the socket is closed
 * @param writeDeadline without the socket taking anything while something waits, it is closed
 * @param withoutRoom a socket that has joined no room for so long is closed
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
            throw new IllegalArgumentException("outbox must be at least 256KB: it has to hold the largest frames");
        if (outboxTotalBytes < outboxBytes)
            throw new IllegalArgumentException("outboxTotal must be at least what one outbox may hold");
        if (handoverBytes < 128 * 1024) throw new IllegalArgumentException("handover must be at least 128KB");
        if (pingInterval.toMillis() < 100 || pingGrace.toMillis() < 100 || writeDeadline.toMillis() < 100)
            throw new IllegalArgumentException("pingInterval, pingGrace and writeDeadline must be at least 100 ms");
        if (withoutRoom.toMillis() < 100) throw new IllegalArgumentException("withoutRoom must be at least 100 ms");
    }
}

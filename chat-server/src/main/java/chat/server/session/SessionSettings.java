package chat.server.session;

import java.time.Duration;
import org.springframework.boot.context.properties.bind.ConstructorBinding;
import org.springframework.util.unit.DataSize;

/**
 * Limits and timeouts of sockets.
 *
 * @param outbox unsent bytes of one socket; beyond it the socket is closed as a slow consumer
 * @param outboxTotal unsent bytes of all sockets, shared frames counted once; beyond it the slowest are closed
 * @param handover bytes queued from partitions to one event loop, shared frames counted once; beyond it partitions wait
 * @param pingInterval interval of pings
 * @param pingGrace timeout of a pong
 * @param writeDeadline timeout of a socket that reads nothing
 * @param withoutRoom timeout of a socket that joins no room
 * @param kernelSend send buffer of the kernel; 0: its default
 * @param kernelReceive receive buffer of the kernel; 0: its default
 */
public record SessionSettings(
        DataSize outbox,
        DataSize outboxTotal,
        DataSize handover,
        Duration pingInterval,
        Duration pingGrace,
        Duration writeDeadline,
        Duration withoutRoom,
        DataSize kernelSend,
        DataSize kernelReceive) {
    /** Eight entries of the largest size: absorbs a short delay of an event loop, and bounds the memory of a long one. */
    private static final DataSize HANDOVER = DataSize.ofMegabytes(4);

    /** Longer than a round trip of the slowest line, so that only a lost client misses it. */
    private static final Duration PING_GRACE = Duration.ofSeconds(10);

    /** Longer than the pauses of a slow line; frees the outbox of a client that has gone. */
    private static final Duration WRITE_DEADLINE = Duration.ofSeconds(15);

    /** Far longer than a client needs to join; a socket without a room only costs memory. */
    private static final Duration WITHOUT_ROOM = Duration.ofMinutes(1);

    private static final DataSize MOST_KERNEL = DataSize.ofGigabytes(1);

    public SessionSettings {
        if (outbox.toKilobytes() < 256)
            throw new IllegalArgumentException("outbox must be at least 256KB, to hold the largest frames");
        if (outboxTotal.compareTo(outbox) < 0)
            throw new IllegalArgumentException("outboxTotal must be at least outbox");
        if (handover.toKilobytes() < 128) throw new IllegalArgumentException("handover must be at least 128KB");
        if (pingInterval.toMillis() < 100 || pingGrace.toMillis() < 100 || writeDeadline.toMillis() < 100)
            throw new IllegalArgumentException("pingInterval, pingGrace and writeDeadline must be at least 100 ms");
        if (withoutRoom.toMillis() < 100) throw new IllegalArgumentException("withoutRoom must be at least 100 ms");
        if (kernelSend.isNegative() || kernelSend.compareTo(MOST_KERNEL) > 0)
            throw new IllegalArgumentException("kernel-send must be 0 to 1GB");
        if (kernelReceive.isNegative() || kernelReceive.compareTo(MOST_KERNEL) > 0)
            throw new IllegalArgumentException("kernel-receive must be 0 to 1GB");
    }

    @ConstructorBinding
    public SessionSettings(
            DataSize outbox, DataSize outboxTotal, Duration pingInterval, DataSize kernelSend, DataSize kernelReceive) {
        this(
                outbox,
                outboxTotal,
                HANDOVER,
                pingInterval,
                PING_GRACE,
                WRITE_DEADLINE,
                WITHOUT_ROOM,
                kernelSend,
                kernelReceive);
    }

    long outboxBytes() {
        return outbox.toBytes();
    }

    public long outboxTotalBytes() {
        return outboxTotal.toBytes();
    }

    long handoverBytes() {
        return handover.toBytes();
    }
}

package chat.log;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The entries without messages that a server writes into a partition: HELLOs until it has begun there, then HEARTBEATs.
 * There will be another: none is kept or published again, and one at a time is enough. On the partition's loop only.
 */
final class Heartbeats {
    private final EntryAppender appender;
    private final IncarnationHeaders headers;
    private final LogSettings settings;
    private final LongSupplier nanoTime;
    /** Called when one was confirmed (true) or failed. */
    private final Consumer<Boolean> answered;

    private long helloDueNanos;
    private long heartbeatDueNanos;
    private boolean outstanding;
    /** The first of those that have not been read back; 0: none. */
    private long unread;

    private long unreadNanos;

    Heartbeats(
            EntryAppender appender,
            IncarnationHeaders headers,
            LogSettings settings,
            LongSupplier nanoTime,
            Consumer<Boolean> answered) {
        this.appender = appender;
        this.headers = headers;
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.answered = answered;
        this.helloDueNanos = nanoTime.getAsLong();
        this.heartbeatDueNanos = helloDueNanos;
    }

    /** The reader has come by this entry of ours, of any kind. */
    void passed(long sequence) {
        if (sequence >= unread) unread = 0;
    }

    /** When the first was published that has not been read back; {@code none} where there is none. */
    long oldestUnreadNanos(long none) {
        return unread == 0 ? none : unreadNanos;
    }

    boolean isHelloDue() {
        return nanoTime.getAsLong() - helloDueNanos >= 0;
    }

    void helloDueNow() {
        helloDueNanos = nanoTime.getAsLong();
    }

    /**
     * @param origin that it proposes
     * @param previousOrigin of the log to be replaced; 0 where none is known
     * @param again when the next one is due, unless this one fails
     */
    void hello(long origin, long previousOrigin, Duration again) {
        helloDueNanos = nanoTime.getAsLong() + again.toNanos();
        publish(EntryKind.HELLO, origin, previousOrigin);
    }

    boolean isHeartbeatDue() {
        return nanoTime.getAsLong() - heartbeatDueNanos >= 0;
    }

    void heartbeatDueNow() {
        heartbeatDueNanos = nanoTime.getAsLong();
    }

    void heartbeat(long origin) {
        heartbeatDueNanos = nanoTime.getAsLong() + settings.heartbeat().toNanos();
        publish(EntryKind.HEARTBEAT, origin, 0);
    }

    private void publish(EntryKind kind, long origin, long previousOrigin) {
        if (outstanding) return;
        outstanding = true;
        EntryHeader header = headers.next(kind, origin, previousOrigin);
        if (unread == 0) {
            unread = header.sequence();
            unreadNanos = nanoTime.getAsLong();
        }
        appender.append(header.sequence(), EntryBuilder.encodeEmpty(header), failure -> {
            outstanding = false;
            if (failure != null && unread == header.sequence()) unread = 0; // it may never come
            if (failure != null && kind == EntryKind.HELLO) {
                long soon = nanoTime.getAsLong() + settings.reconnect().toNanos();
                if (soon - helloDueNanos < 0) helloDueNanos = soon;
            }
            answered.accept(failure == null);
        });
    }
}

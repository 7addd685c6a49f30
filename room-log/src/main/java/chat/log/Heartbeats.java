package chat.log;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Publishes the entries without messages that a server writes into a partition: HELLOs until it has started there, then
 * HEARTBEATs. A lost one is not republished, because the next one follows; at most one is unanswered at a time. On the
 * partition's loop only.
 */
final class Heartbeats {
    private final EntryAppender appender;
    private final IncarnationHeaders headers;
    private final LogSettings settings;
    private final LongSupplier nanoTime;
    /** Called with true when one is confirmed and with false when one fails. */
    private final Consumer<Boolean> answered;

    private long helloDueNanos;
    private long heartbeatDueNanos;
    private boolean outstanding;
    /** Sequence of the first one that has not been read back; 0: none. */
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

    /** The reader has passed this entry of our own, of any kind. */
    void passed(long sequence) {
        if (sequence >= unread) unread = 0;
    }

    /** When the first one was published that has not been read back; {@code none} if all have been. */
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
     * @param epoch the epoch that it proposes
     * @param previousEpoch the epoch to replace; 0 if none is known
     * @param interval until the next one is due, unless this one fails
     */
    void hello(long epoch, long previousEpoch, Duration interval) {
        helloDueNanos = nanoTime.getAsLong() + interval.toNanos();
        publish(EntryKind.HELLO, epoch, previousEpoch);
    }

    boolean isHeartbeatDue() {
        return nanoTime.getAsLong() - heartbeatDueNanos >= 0;
    }

    void heartbeatDueNow() {
        heartbeatDueNanos = nanoTime.getAsLong();
    }

    void heartbeat(long epoch) {
        heartbeatDueNanos = nanoTime.getAsLong() + settings.heartbeat().toNanos();
        publish(EntryKind.HEARTBEAT, epoch, 0);
    }

    private void publish(EntryKind kind, long epoch, long previousEpoch) {
        if (outstanding) return;
        outstanding = true;
        EntryHeader header = headers.next(kind, epoch, previousEpoch);
        if (unread == 0) {
            unread = header.sequence();
            unreadNanos = nanoTime.getAsLong();
        }
        appender.append(header.sequence(), EntryBuilder.encodeEmpty(header), failure -> {
            outstanding = false;
            if (failure != null && unread == header.sequence()) unread = 0; // it may never be read
            if (failure != null && kind == EntryKind.HELLO) {
                long soon = nanoTime.getAsLong() + settings.reconnect().toNanos();
                if (soon - helloDueNanos < 0) helloDueNanos = soon;
            }
            answered.accept(failure == null);
        });
    }
}

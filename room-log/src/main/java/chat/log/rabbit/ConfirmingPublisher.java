package chat.log.rabbit;

import chat.log.LogUnavailable;
import chat.log.LogUnavailable.Outcome;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Publishes entries on one channel, in order, and completes each when the broker has confirmed it. Because {@code
 * basicPublish} can block, it runs on its own thread. A nack closes the channel: only entries that were already being
 * sent can still get into the log after the rejected one.
 */
final class ConfirmingPublisher {
    private static final String REPLACED = "the channel was replaced";
    private static final String RETURNED = "no stream is bound for the partition";

    private static final class Pending {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        boolean returned;
        /** The broker nacked it: a later multiple confirm that covers it does not count. */
        boolean refused;
    }

    private final RabbitLogSettings settings;
    private final ExecutorService thread;
    private final Runnable closing;
    private final Consumer<String> channelLost;
    private final Consumer<String> fault;
    private final Object lock = new Object();
    private final NavigableMap<Long, Pending> unconfirmed = new TreeMap<>();
    private @Nullable Channel channel;
    /** A channel that is being replaced: its shutdown is not a fault. */
    private @Nullable Channel retired;
    /** The broker nacked an entry: the channel is being closed. */
    private boolean nacked;

    /**
     * @param closing called on any thread before the channel is closed, when {@link #isOpen} is already false
     * @param channelLost called on any thread when the channel has closed, before its entries fail
     * @param fault called with a description of each returned entry
     */
    ConfirmingPublisher(
            RabbitLogSettings settings,
            ExecutorService thread,
            Runnable closing,
            Consumer<String> channelLost,
            Consumer<String> fault) {
        this.settings = settings;
        this.thread = thread;
        this.closing = closing;
        this.channelLost = channelLost;
        this.fault = fault;
    }

    /** Opens a channel. Entries of an earlier channel fail, because delivery tags start again at 1. */
    void open(Connection connection) throws IOException {
        Channel opened = channel(connection);
        Channel before;
        synchronized (lock) {
            before = channel;
            retired = null;
        }
        if (before != null) lost(before, REPLACED);
        synchronized (lock) {
            channel = opened;
            nacked = false;
        }
    }

    /**
     * Replaces a channel that may lead to a lost leader, after the broker has closed it: entries that the broker has
     * not written by then cannot follow their republished copies. Blocks until the broker answers.
     *
     * @return whether a new channel is in use
     * @throws IOException if the broker does not answer
     */
    boolean replace(Connection connection) throws IOException {
        Channel before;
        synchronized (lock) {
            before = channel;
        }
        if (before == null) return false;
        Channel opened = channel(connection);
        List<Pending> failed = List.of();
        boolean replaced = false;
        if (retire(before)) {
            abort(before); // entries published until then fail with the rest
            synchronized (lock) {
                replaced = before.equals(retired) && opened.isOpen();
                if (replaced) {
                    channel = opened;
                    nacked = false;
                    failed = takeUnconfirmed();
                } else {
                    retired = null;
                }
            }
        }
        if (replaced) {
            fail(failed, REPLACED);
        } else {
            abort(opened);
            if (!before.isOpen()) lost(before, "the replacement channel was lost too");
        }
        return replaced;
    }

    private boolean retire(Channel before) {
        synchronized (lock) {
            if (nacked || !before.equals(channel)) return false;
            retired = before;
            return true;
        }
    }

    private List<Pending> takeUnconfirmed() {
        synchronized (lock) {
            List<Pending> taken = List.copyOf(unconfirmed.values());
            unconfirmed.clear();
            return taken;
        }
    }

    private static void abort(Channel channel) {
        try {
            channel.abort();
        } catch (IOException | AlreadyClosedException gone) {
            // The channel is closed already.
        }
    }

    private Channel channel(Connection connection) throws IOException {
        Channel opened = connection.createChannel();
        if (opened == null) throw new IOException("the broker allows no more channels");
        opened.confirmSelect();
        opened.addConfirmListener(
                (tag, multiple) -> confirmed(opened, tag, multiple), (tag, multiple) -> nacked(opened, tag, multiple));
        opened.addReturnListener(returned ->
                returned(opened, Long.parseLong(returned.getProperties().getMessageId())));
        opened.addShutdownListener(cause -> lost(opened, Link.reason(cause)));
        return opened;
    }

    boolean isOpen() {
        synchronized (lock) {
            return channel != null && !nacked && channel.isOpen();
        }
    }

    CompletionStage<Void> publish(int partition, byte[] entry) {
        Pending pending = new Pending();
        Channel meant;
        synchronized (lock) {
            meant = channel;
        }
        try {
            thread.execute(() -> publish(partition, entry, pending, meant));
        } catch (RejectedExecutionException closed) {
            pending.done.completeExceptionally(new LogUnavailable(Outcome.NOT_WRITTEN, "the log is closed"));
        }
        return pending.done;
    }

    /**
     * @param meant the channel at the time of the call: on a later one, it could overtake entries that this one lost
     */
    private void publish(int partition, byte[] entry, Pending pending, @Nullable Channel meant) {
        Channel current;
        long tag;
        synchronized (lock) {
            current = channel;
            if (current == null || nacked || !current.equals(meant)) {
                // After a replaced channel it is republished, like all entries before it.
                pending.done.completeExceptionally(
                        meant != null && meant.equals(retired)
                                ? new LogUnavailable(Outcome.UNKNOWN, REPLACED)
                                : new LogUnavailable(Outcome.NOT_WRITTEN, "no connection to RabbitMQ"));
                return;
            }
            tag = current.getNextPublishSeqNo();
            unconfirmed.put(tag, pending);
        }
        BasicProperties properties =
                new BasicProperties.Builder().messageId(Long.toString(tag)).build();
        try {
            current.basicPublish(settings.exchange(), settings.routingKey(partition), true, properties, entry);
        } catch (IOException | AlreadyClosedException failure) {
            lost(current, Link.reason(failure));
        }
    }

    private void returned(Channel which, long tag) {
        synchronized (lock) {
            if (!which.equals(channel)) return;
            Pending pending = unconfirmed.get(tag);
            if (pending == null) return;
            pending.returned = true;
        }
        fault.accept(RETURNED);
    }

    private void confirmed(Channel which, long tag, boolean multiple) {
        List<Pending> confirmed;
        synchronized (lock) {
            if (!which.equals(channel)) return;
            Collection<Pending> covered = covered(tag, multiple);
            confirmed = covered.stream().filter(pending -> !pending.refused).toList();
            covered.removeIf(pending -> !pending.refused);
        }
        for (Pending pending : confirmed) {
            if (pending.returned) pending.done.completeExceptionally(new LogUnavailable(Outcome.NOT_WRITTEN, RETURNED));
            else pending.done.complete(null);
        }
    }

    /** A view of the entries that a confirm or a nack covers. */
    private Collection<Pending> covered(long tag, boolean multiple) {
        return (multiple ? unconfirmed.headMap(tag, true) : unconfirmed.subMap(tag, true, tag, true)).values();
    }

    private void nacked(Channel which, long tag, boolean multiple) {
        synchronized (lock) {
            if (!which.equals(channel)) return;
            covered(tag, multiple).forEach(pending -> pending.refused = true);
            if (nacked) return;
            nacked = true;
        }
        closing.run();
        // Closing is a round trip, for which the thread that delivers confirms must not wait. The shutdown listener
        // then
        // fails all entries, so none is republished while this channel could still write.
        try {
            thread.execute(() -> {
                try {
                    which.abort();
                } catch (IOException | AlreadyClosedException gone) {
                    lost(which, "the broker nacked an entry");
                }
            });
        } catch (RejectedExecutionException closed) {
            // The log is closed and all entries fail.
        }
    }

    private void lost(Channel which, String why) {
        List<Pending> failed;
        synchronized (lock) {
            if (!which.equals(channel) || which.equals(retired)) return;
            channel = null;
            failed = takeUnconfirmed();
        }
        channelLost.accept(why);
        fail(failed, "lost the connection to RabbitMQ: " + why);
    }

    private static void fail(List<Pending> failed, String why) {
        for (Pending pending : failed)
            pending.done.completeExceptionally(
                    pending.returned
                            ? new LogUnavailable(Outcome.NOT_WRITTEN, RETURNED)
                            : new LogUnavailable(Outcome.UNKNOWN, why));
    }
}

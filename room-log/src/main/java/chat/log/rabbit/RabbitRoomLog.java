package chat.log.rabbit;

import chat.log.LogUnavailable;
import chat.log.LogUnavailable.Outcome;
import chat.log.RoomLog;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.ChannelContinuationTimeoutException;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.BindingBuilder;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.TopicExchange;
import org.springframework.amqp.rabbit.core.RabbitAdmin;

/**
 * Implements the room log on RabbitMQ: a topic exchange, and a stream per partition bound to it by a routing key.
 * Requires RabbitMQ 3.10 or later. Retention is set by a policy of the broker, because arguments of a queue cannot be
 * changed later.
 *
 * @see <a href="https://www.rabbitmq.com/docs/streams">streams</a>
 */
public final class RabbitRoomLog implements RoomLog {
    private static final Logger logger = LoggerFactory.getLogger(RabbitRoomLog.class);

    /** How a program uses the log. */
    public enum Access {
        READ,
        /** It reads, and writes entries that may be lost: its {@link #state} depends only on reading. */
        READ_AND_TELL,
        READ_AND_WRITE
    }

    private static final long SHARED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final RabbitLogSettings settings;
    private final boolean mustWrite;
    private final ScheduledExecutorService control;
    private final ExecutorService publishing;
    private final ExecutorService deliveries;
    private final Link reading;
    private final @Nullable Link writing;
    private final ConfirmingPublisher publisher;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<String>> faultListeners = new CopyOnWriteArrayList<>();
    private volatile State state = State.DOWN;
    private CompletableFuture<Boolean> renewal = CompletableFuture.completedFuture(false);
    private long renewalNanos = System.nanoTime();

    /** Starts to connect in the background and retries without limit. */
    public RabbitRoomLog(RabbitLogSettings settings, String clientName, Access access) {
        this.settings = settings;
        this.mustWrite = access == Access.READ_AND_WRITE;
        this.control = control();
        this.publishing = Executors.newSingleThreadExecutor(daemon("rabbit-publish"));
        this.deliveries = Executors.newFixedThreadPool(2, daemon("rabbit-read"));
        this.publisher =
                new ConfirmingPublisher(settings, publishing, this::publisherClosing, this::channelLost, this::fault);
        this.reading = new Link(clientName + " reads", settings, control, deliveries, new Reading());
        this.writing = access == Access.READ
                ? null
                : new Link(clientName + " publishes", settings, control, deliveries, new Writing());
        control.execute(reading::connect);
        if (writing != null) control.execute(writing::connect);
    }

    private static ScheduledExecutorService control() {
        ScheduledThreadPoolExecutor control = new ScheduledThreadPoolExecutor(1, daemon("rabbit-control"));
        // Closing must not wait for the next attempt to connect.
        control.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return control;
    }

    private static java.util.concurrent.ThreadFactory daemon(String name) {
        return Thread.ofPlatform().daemon().name(name).factory();
    }

    @Override
    public int partitions() {
        return settings.partitions();
    }

    @Override
    public boolean outlivesItsProcess() {
        return true;
    }

    @Override
    public CompletionStage<Void> append(int partition, byte[] entry) {
        if (writing == null)
            return CompletableFuture.failedFuture(
                    new LogUnavailable(Outcome.NOT_WRITTEN, "this program only reads the log"));
        return publisher.publish(partition, entry);
    }

    @Override
    public Tail tail(int partition, Start start, TailHandler handler) {
        StreamTail tail = new StreamTail(settings.stream(partition), start, handler);
        try {
            control.execute(() -> open(tail));
        } catch (RejectedExecutionException closed) {
            tail.end("the log is closed");
        }
        return tail;
    }

    private void open(StreamTail tail) {
        Connection connection = reading.connection();
        if (connection == null) {
            tail.end("no connection to RabbitMQ");
            return;
        }
        try {
            tail.open(connection, settings.credit());
        } catch (ChannelContinuationTimeoutException timeout) {
            // The heartbeat of the connection would notice only after a minute. The reader may have closed the tail.
            tail.end("RabbitMQ did not answer");
            reading.reset();
        } catch (IOException | AlreadyClosedException failure) {
            if (tail.end(Link.reason(failure)) && connection.isOpen()) declareAgain();
        }
    }

    /** Declares a deleted stream again; the reader retries. */
    private void declareAgain() {
        try {
            declareTopology();
        } catch (AmqpException failure) {
            logger.warn("Could not declare the streams: {}", Link.reason(failure));
        }
    }

    private void declareTopology() {
        RabbitAdmin admin = new RabbitAdmin(reading.factory());
        TopicExchange exchange = new TopicExchange(settings.exchange(), true, false);
        admin.declareExchange(exchange);
        for (int partition = 0; partition < settings.partitions(); partition++) {
            Queue stream = new Queue(settings.stream(partition), true, false, false, Map.of("x-queue-type", "stream"));
            admin.declareQueue(stream);
            admin.declareBinding(BindingBuilder.bind(stream).to(exchange).with(settings.routingKey(partition)));
        }
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public Runnable onStateChange(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public void release(int partition, long offset) {
        // Retention is the broker's policy.
    }

    @Override
    public void onFault(Consumer<String> listener) {
        faultListeners.add(listener);
    }

    private void fault(String what) {
        faultListeners.forEach(listener -> listener.accept(what));
    }

    /**
     * Replaces the channel. After the loss of a stream's leader, RabbitMQ 3.10 may confirm entries that it has lost,
     * or not confirm entries that it has written, until the channel is closed.
     *
     * @see <a href="https://github.com/rabbitmq/rabbitmq-server/issues/9457">rabbitmq-server 9457</a>
     */
    @Override
    public CompletionStage<Boolean> renew(int partition) {
        Connection connection = writing == null ? null : writing.connection();
        if (connection == null) return CompletableFuture.completedFuture(false);
        synchronized (publisher) {
            // Partitions that miss entries at the same time share one replacement.
            if (!renewal.isDone() || System.nanoTime() - renewalNanos < SHARED_NANOS) return renewal;
            renewalNanos = System.nanoTime();
            // Not on the control thread, which a paused broker would block.
            renewal = CompletableFuture.supplyAsync(() -> replaceChannel(connection), Thread::startVirtualThread);
            return renewal;
        }
    }

    private boolean replaceChannel(Connection connection) {
        try {
            boolean replaced = publisher.replace(connection);
            if (replaced) logger.warn("Published entries are not read back; replaced the publishing channel");
            return replaced;
        } catch (IOException | AlreadyClosedException failure) {
            logger.debug("Could not replace the publishing channel: {}", Link.reason(failure));
            return false;
        } finally {
            onControl(this::reopenPublisher);
        }
    }

    /** Reconnects: replacing the channel did not help, or the broker opened none. */
    @Override
    public void unanswered(int partition) {
        Link link = writing;
        if (link == null) return;
        logger.warn(
                "Entries published to {} are not read back; reconnecting the publishing connection",
                settings.stream(partition));
        onControl(link::reset);
    }

    /**
     * Reconnects: a node that has returned serves readers from its replica before the replica has caught up. One
     * address may belong to several nodes.
     */
    @Override
    public void silent(int partition) {
        logger.warn("No new entry was read from {}; reconnecting the reading connection", settings.stream(partition));
        onControl(reading::reset);
    }

    private void onControl(Runnable step) {
        try {
            control.execute(step);
        } catch (RejectedExecutionException closing) {
            // The log is closing.
        }
    }

    private void publisherClosing() {
        if (mustWrite) change(State.DOWN);
    }

    /** The channel was closed because of a nack, or lost with its connection. */
    private void channelLost(String why) {
        fault(why);
        publisherClosing();
        onControl(this::reopenPublisher);
    }

    private void reopenPublisher() {
        Link link = writing;
        Connection connection = link == null ? null : link.connection();
        if (link == null || connection == null || !connection.isOpen()) return;
        try {
            if (!publisher.isOpen()) publisher.open(connection);
            // Also if it is open: the loss of the old channel may be reported after the new one was opened.
            evaluate();
        } catch (IOException | AlreadyClosedException failure) {
            logger.warn("Could not open a publishing channel: {}; reconnecting", Link.reason(failure));
            fault(Link.reason(failure));
            link.reset();
        }
    }

    private void evaluate() {
        if (reading.connection() == null) change(State.DOWN);
        else if (writing == null || !mustWrite) change(State.UP);
        else if (!publisher.isOpen()) change(State.DOWN);
        else change(writing.isBlocked() ? State.BLOCKED : State.UP);
    }

    private void change(State to) {
        synchronized (listeners) {
            if (state == to) return;
            state = to;
        }
        listeners.forEach(Runnable::run);
    }

    @Override
    public void close() {
        onControl(() -> {
            if (writing != null) writing.close();
            reading.close();
        });
        control.shutdown();
        publishing.shutdown();
        try {
            if (!control.awaitTermination(5, TimeUnit.SECONDS))
                logger.warn("RabbitMQ did not answer within 5 s while closing");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        deliveries.shutdown();
    }

    private final class Reading implements Link.Use {
        @Override
        public void connected(Connection connection) {
            declareTopology();
        }

        @Override
        public void changed() {
            evaluate();
        }

        @Override
        public void lost(String why) {
            fault(why);
        }

        @Override
        public void notConnected(String why) {
            fault(why);
        }
    }

    private final class Writing implements Link.Use {
        @Override
        public void connected(Connection connection) throws IOException {
            publisher.open(connection);
        }

        @Override
        public void changed() {
            evaluate();
        }

        @Override
        public void lost(String why) {
            // The publisher reports the loss of its channel: that is one fault, not two.
        }

        @Override
        public void notConnected(String why) {
            fault(why);
        }
    }
}

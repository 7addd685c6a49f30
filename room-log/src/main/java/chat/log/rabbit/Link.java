package chat.log.rabbit;

import com.rabbitmq.client.BlockedCallback;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.SocketConfigurator;
import com.rabbitmq.client.SocketConfigurators;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory.AddressShuffleMode;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/**
 * Keeps one connection to RabbitMQ open and reconnects when it is lost. Everything except {@link #connection} and
 * {@link #isBlocked} runs on the log's control thread, including the calls of {@link Use}, which may block for a round
 * trip.
 */
final class Link {
    private static final Logger logger = LoggerFactory.getLogger(Link.class);
    private static final long FIRST_RETRY_MILLIS = 100;
    private static final long LAST_RETRY_MILLIS = 2_000;

    /**
     * Timeout of an orderly close; a paused node does not answer, and the control thread has to reconnect to another.
     */
    private static final int CLOSE_MILLIS = 1_000;

    /** Timeout of closing altogether, after which a write to a node that reads nothing must be blocking it. */
    private static final int CUT_MILLIS = 3 * CLOSE_MILLIS;

    /** The user of the connection. */
    interface Use {
        /** The connection is open; an exception is handled like the loss of the connection. */
        void connected(Connection connection) throws Exception;

        /** The connection was opened or closed, or the broker blocked or unblocked it. */
        void changed();

        /** The connection was lost. */
        void lost(String why);

        /** An attempt to connect failed. */
        void notConnected(String why);
    }

    private final String name;
    private final String address;
    private final CachingConnectionFactory factory;
    private final ScheduledExecutorService control;
    private final Use use;
    private volatile @Nullable Connection connection;
    private volatile boolean blocked;
    /** The socket of the last attempt to connect. */
    private volatile @Nullable Socket socket;

    private long retryMillis = FIRST_RETRY_MILLIS;
    private boolean retryScheduled;
    private boolean closed;

    Link(String name, RabbitLogSettings settings, ScheduledExecutorService control, Executor deliveries, Use use) {
        this.name = name;
        this.address = RabbitLogSettings.withoutSecret(settings.uri());
        this.control = control;
        this.use = use;
        this.factory = factory(settings, name, chosen -> socket = chosen);
        this.factory.setExecutor(deliveries);
    }

    private static CachingConnectionFactory factory(
            RabbitLogSettings settings, String name, SocketConfigurator eachSocket) {
        List<URI> nodes = settings.nodes();
        com.rabbitmq.client.ConnectionFactory client = new com.rabbitmq.client.ConnectionFactory();
        client.setSocketConfigurator(SocketConfigurators.defaultConfigurator().andThen(eachSocket));
        try {
            client.setUri(nodes.getFirst());
            if (client.isSSL()) {
                // The client's default TLS setup trusts every certificate.
                client.useSslProtocol(SSLContext.getDefault());
                client.enableHostnameVerification();
            }
        } catch (java.security.GeneralSecurityException unusable) {
            throw new IllegalArgumentException("unusable RabbitMQ URI: " + unusable.getMessage(), unusable);
        }
        // The client's recovery would subscribe to a stream at its first offset again.
        client.setAutomaticRecoveryEnabled(false);
        client.setTopologyRecoveryEnabled(false);
        client.setRequestedHeartbeat(30);
        client.setConnectionTimeout((int) settings.connectTimeout().toMillis());
        // The client's default of ten minutes would block the control thread for that time.
        client.setChannelRpcTimeout((int) settings.longestAnswer().toMillis());
        CachingConnectionFactory factory = new CachingConnectionFactory(client);
        if (nodes.size() > 1) {
            factory.setAddresses(nodes.stream().map(Link::hostAndPort).toList());
            // Any node serves every stream. In the given order, all connections would go to the first node.
            factory.setAddressShuffleMode(AddressShuffleMode.RANDOM);
        }
        factory.setConnectionNameStrategy(unused -> name);
        factory.setCloseTimeout(CLOSE_MILLIS);
        return factory;
    }

    private static String hostAndPort(URI node) {
        return node.getPort() < 0 ? node.getHost() : node.getHost() + ":" + node.getPort();
    }

    CachingConnectionFactory factory() {
        return factory;
    }

    /** The open connection, or null; any thread. */
    @Nullable
    Connection connection() {
        return connection;
    }

    boolean isBlocked() {
        return blocked;
    }

    void connect() {
        retryScheduled = false;
        if (closed || connection != null) return;
        try {
            Connection opened = factory.createConnection().getDelegate();
            if (opened == null) throw new IllegalStateException("the connection has no delegate");
            opened.addShutdownListener(cause -> onControl(() -> lost(opened, cause)));
            opened.addBlockedListener(
                    (BlockedCallback) reason -> onControl(() -> blocked(opened, true, reason)),
                    () -> onControl(() -> blocked(opened, false, "")));
            connection = opened;
            use.connected(opened);
            retryMillis = FIRST_RETRY_MILLIS;
            logger.info(
                    "{}: connected to {} at {}:{}",
                    name,
                    address,
                    opened.getAddress().getHostAddress(),
                    opened.getPort());
            use.changed();
        } catch (Exception failure) {
            if (retryMillis == FIRST_RETRY_MILLIS)
                logger.warn("{}: could not connect to {}: {}; retrying", name, address, reason(failure));
            else logger.debug("{}: could not connect to {}", name, address, failure);
            disconnect();
            use.notConnected(reason(failure));
            retry();
        }
    }

    /** Closes the connection and reconnects. */
    void reset() {
        disconnect();
        use.changed();
        retry();
    }

    private void lost(Connection which, ShutdownSignalException cause) {
        if (!which.equals(connection)) return;
        if (!closed) {
            logger.warn("{}: lost the connection to {}: {}; reconnecting", name, address, reason(cause));
            use.lost(reason(cause));
        }
        reset();
    }

    private void blocked(Connection which, boolean now, String reason) {
        if (!which.equals(connection)) return; // an earlier connection
        blocked = now;
        if (now) logger.warn("{}: the broker blocks publishing: {}", name, reason);
        else logger.warn("{}: the broker unblocked publishing", name);
        use.changed();
    }

    private void retry() {
        if (closed || retryScheduled) return;
        retryScheduled = true;
        try {
            control.schedule(this::connect, retryMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopping) {
            return;
        }
        retryMillis = Math.min(LAST_RETRY_MILLIS, retryMillis * 2);
    }

    private void disconnect() {
        close(factory::resetConnection);
    }

    void close() {
        closed = true;
        close(factory::destroy);
    }

    private void close(Runnable closeFactory) {
        Connection current = connection;
        Socket lastSocket = socket;
        connection = null;
        blocked = false;
        // A blocked write has no timeout, and closing waits for its locks.
        Future<?> cut = lastSocket == null
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.runAsync(
                        () -> cut(lastSocket), CompletableFuture.delayedExecutor(CUT_MILLIS, TimeUnit.MILLISECONDS));
        try {
            // The factory alone would wait ten seconds for each channel.
            if (current != null) current.abort(CLOSE_MILLIS);
            closeFactory.run();
        } catch (AmqpException alreadyGone) {
            logger.debug("{}: error while closing", name, alreadyGone);
        } finally {
            cut.cancel(false);
        }
    }

    private void cut(Socket blocked) {
        logger.warn("{}: {} does not read what was written; aborting the connection", name, address);
        try {
            blocked.setSoLinger(true, 0); // closes a TLS socket without waiting for its lock
            blocked.close();
        } catch (IOException gone) {
            logger.debug("{}: error while aborting", name, gone);
        }
    }

    private void onControl(Runnable step) {
        try {
            control.execute(step);
        } catch (RejectedExecutionException stopping) {
            // The log is closing.
        }
    }

    static String reason(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) root = root.getCause();
        return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    }
}

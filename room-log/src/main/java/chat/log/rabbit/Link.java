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
 * One connection that comes back by itself. Everything but {@link #connection} and {@link #isBlocked} runs on the
 * log's control thread, and so do the calls of {@link Use}: they may block for a round trip.
 */
final class Link {
    private static final Logger logger = LoggerFactory.getLogger(Link.class);
    private static final long FIRST_RETRY_MILLIS = 100;
    private static final long LAST_RETRY_MILLIS = 2_000;

    /** For a farewell; a node that stands still gives none, and what follows on the control thread connects elsewhere. */
    private static final int CLOSE_MILLIS = 1_000;

    /** For all that closing does; then something stands in the middle of a write to a node that reads nothing. */
    private static final int CUT_MILLIS = 3 * CLOSE_MILLIS;

    /** What is done with the connection. */
    interface Use {
        /** The connection stands; whatever this throws is treated as its loss. */
        void connected(Connection connection) throws Exception;

        /** It is gone, or the broker blocks or unblocks it. */
        void changed();

        /** It was lost. */
        void lost(String why);

        /** An attempt to connect has failed. */
        void notConnected(String why);
    }

    private final String name;
    private final String address;
    private final CachingConnectionFactory factory;
    private final ScheduledExecutorService control;
    private final Use use;
    private volatile @Nullable Connection connection;
    private volatile boolean blocked;
    /** Of the last attempt to connect. */
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
                // The client's own way to TLS believes every certificate.
                client.useSslProtocol(SSLContext.getDefault());
                client.enableHostnameVerification();
            }
        } catch (java.security.GeneralSecurityException unusable) {
            throw new IllegalArgumentException("unusable RabbitMQ URI: " + unusable.getMessage(), unusable);
        }
        // The client's own recovery would subscribe a stream with its first offset again.
        client.setAutomaticRecoveryEnabled(false);
        client.setTopologyRecoveryEnabled(false);
        client.setRequestedHeartbeat(30);
        client.setConnectionTimeout((int) settings.connectTimeout().toMillis());
        // The client's own ten minutes would hold up the control thread as long.
        client.setChannelRpcTimeout((int) settings.longestAnswer().toMillis());
        CachingConnectionFactory factory = new CachingConnectionFactory(client);
        if (nodes.size() > 1) {
            factory.setAddresses(nodes.stream().map(Link::hostAndPort).toList());
            // Any node serves every stream. In the order given, the first would have all connections.
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
                    "{}: connected to {}, at {} port {}",
                    name,
                    address,
                    opened.getAddress().getHostAddress(),
                    opened.getPort());
            use.changed();
        } catch (Exception failure) {
            if (retryMillis == FIRST_RETRY_MILLIS)
                logger.warn("{}: no connection to {}: {}", name, address, reason(failure));
            else logger.debug("{}: no connection to {}", name, address, failure);
            disconnect();
            use.notConnected(reason(failure));
            retry();
        }
    }

    /** Closes what is there and connects anew. */
    void reset() {
        disconnect();
        use.changed();
        retry();
    }

    private void lost(Connection which, ShutdownSignalException cause) {
        if (!which.equals(connection)) return;
        if (!closed) {
            logger.warn("{}: connection to {} lost: {}", name, address, reason(cause));
            use.lost(reason(cause));
        }
        reset();
    }

    private void blocked(Connection which, boolean now, String reason) {
        if (!which.equals(connection)) return; // the next one will hear for itself
        blocked = now;
        logger.warn("{}: the broker {}", name, now ? "accepts no more entries: " + reason : "accepts entries again");
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

    private void close(Runnable farewell) {
        Connection current = connection;
        Socket below = socket;
        connection = null;
        blocked = false;
        // No timeout ends a write, and closing waits for its locks.
        Future<?> cut = below == null
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.runAsync(
                        () -> cut(below), CompletableFuture.delayedExecutor(CUT_MILLIS, TimeUnit.MILLISECONDS));
        try {
            // By itself the factory waits ten seconds for each channel that it keeps.
            if (current != null) current.abort(CLOSE_MILLIS);
            farewell.run();
        } catch (AmqpException alreadyGone) {
            logger.debug("{}: while closing", name, alreadyGone);
        } finally {
            cut.cancel(false);
        }
    }

    private void cut(Socket below) {
        logger.warn("{}: what was written to {} is not taken: cutting the connection", name, address);
        try {
            below.setSoLinger(true, 0); // also what ends a TLS socket without its lock
            below.close();
        } catch (IOException gone) {
            logger.debug("{}: while cutting", name, gone);
        }
    }

    private void onControl(Runnable step) {
        try {
            control.execute(step);
        } catch (RejectedExecutionException stopping) {
            // Nothing is watched any more.
        }
    }

    static String reason(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) root = root.getCause();
        return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    }
}

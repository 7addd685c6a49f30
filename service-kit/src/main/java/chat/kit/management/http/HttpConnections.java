package chat.kit.management.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.util.AttributeKey;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import reactor.netty.http.server.HttpServer;

/**
 * Limits the HTTP connections of one port, and the bytes of responses that clients have not read. When there are too
 * many connections, closes the longest idle one. When responses hold too many bytes, cuts off the oldest ones, so that
 * a client that does not read delays only itself. Thread-safe.
 */
public final class HttpConnections implements NettyServerCustomizer {
    static final AttributeKey<HttpConnection> KEY = AttributeKey.valueOf(HttpConnections.class, "connection");

    /** Minimum age of a response that is cut off for others. */
    private static final long LEAST_AGE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Small responses, such as errors and health, are always sent: a program at its limit is not down. */
    private static final long SMALL = 4096;

    private static final int WATER_MARK = 64 << 10;
    private static final long KERNEL_UNSENT = 128 << 10;

    /** Closed connections, by cause. */
    final LongAdder stalled = new LongAdder();

    final LongAdder idle = new LongAdder();
    final LongAdder full = new LongAdder();
    final LongAdder cutOff = new LongAdder();

    /** Requests rejected with 503. */
    final LongAdder refused = new LongAdder();

    private final HttpSettings settings;
    private final LongSupplier nanoTime;
    private final Set<HttpConnection> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    public HttpConnections(HttpSettings settings) {
        this(settings, System::nanoTime);
    }

    HttpConnections(HttpSettings settings, LongSupplier nanoTime) {
        this.settings = settings;
        this.nanoTime = nanoTime;
    }

    @Override
    public HttpServer apply(HttpServer server) {
        HttpServer bounded = server.doOnChannelInit((observer, channel, remote) -> add(channel))
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(WATER_MARK / 2, WATER_MARK));
        if (!Epoll.isAvailable()) return bounded;
        // The deadline applies to the bytes in Netty, and then to those in the system's buffer.
        int patience = Math.toIntExact(settings.writeDeadline().multipliedBy(2).toMillis());
        return bounded.childOption(EpollChannelOption.TCP_USER_TIMEOUT, patience)
                .childOption(EpollChannelOption.TCP_NOTSENT_LOWAT, KERNEL_UNSENT);
    }

    /** On the channel's event loop. */
    void add(Channel channel) {
        HttpConnection connection = new HttpConnection(channel, this, settings.writeDeadline(), nanoTime);
        channel.attr(KEY).set(connection);
        channel.pipeline().addFirst(connection);
        open.add(connection);
        if (count.incrementAndGet() > settings.maxConnections()) makeRoomFor(connection);
    }

    /** A chosen connection stops counting at once, because its event loop may close it after others have connected. */
    private void makeRoomFor(HttpConnection newest) {
        while (count.get() > settings.maxConnections()) {
            HttpConnection longest = open.stream()
                    .filter(connection -> connection != newest && connection.isIdle())
                    .min(Comparator.comparingLong(HttpConnection::idleSince))
                    .orElse(null);
            HttpConnection victim = longest == null ? newest : longest;
            // Another thread may have chosen the same one, even the newest.
            if (remove(victim)) {
                if (victim.end()) (longest == null ? full : idle).increment();
                return;
            }
            if (victim == newest) return;
        }
    }

    /** Removes a connection; returns false if it was already removed. */
    boolean remove(HttpConnection connection) {
        boolean first = open.remove(connection);
        if (first) count.decrementAndGet();
        return first;
    }

    /** Stops tracking a channel that is no longer an HTTP connection. On its event loop. */
    public static void leave(Channel channel) {
        HttpConnection connection = channel.attr(KEY).getAndSet(null);
        if (connection != null) connection.leave();
    }

    /** Returns whether a response can start now; if not, cuts off others so that one can start soon. */
    public boolean hasRoom() {
        if (bytes.get() + SMALL <= settings.inFlight().toBytes()) return true;
        cutOff(SMALL);
        return false;
    }

    /** Reserves bytes, which must be released; if the limit is reached, cuts off others and returns false. */
    boolean take(long wanted) {
        while (true) {
            long now = bytes.get();
            if (wanted > SMALL && now + wanted > settings.inFlight().toBytes()) {
                refused.increment();
                cutOff(wanted);
                return false;
            }
            if (bytes.compareAndSet(now, now + wanted)) return true;
        }
    }

    void giveBack(long taken) {
        bytes.addAndGet(-taken);
    }

    /**
     * Cuts off the oldest responses until the given number of bytes will be free. Their bytes count until their event
     * loops have closed them, because their memory is in use until then.
     */
    private void cutOff(long wanted) {
        long latest = nanoTime.getAsLong() - LEAST_AGE_NANOS;
        long excess = bytes.get() + wanted - settings.inFlight().toBytes();
        List<HttpConnection> oldest = open.stream()
                .filter(connection -> connection.holdsSince(latest))
                .sorted(Comparator.comparingLong(HttpConnection::heldSince))
                .toList();
        for (HttpConnection connection : oldest) {
            if (excess <= 0) return;
            excess -= connection.held();
            if (connection.end()) cutOff.increment();
        }
    }

    int count() {
        return count.get();
    }

    long bytes() {
        return bytes.get();
    }

    Duration writeDeadline() {
        return settings.writeDeadline();
    }

    /** Returns null if the channel is not, or no longer, an HTTP connection. */
    static @Nullable HttpConnection of(Channel channel) {
        return channel.attr(KEY).get();
    }
}

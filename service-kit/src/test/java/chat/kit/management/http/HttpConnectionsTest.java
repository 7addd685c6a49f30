package chat.kit.management.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

class HttpConnectionsTest {
    private static final int MOST = 16;
    private static final long MEGABYTE = 1 << 20;

    private final List<EmbeddedChannel> channels = new ArrayList<>();
    private long nanos;
    private final HttpConnections connections =
            new HttpConnections(new HttpSettings(MOST, DataSize.ofMegabytes(8), Duration.ofSeconds(15)), () -> nanos);

    private EmbeddedChannel connect() {
        return connect(new EmbeddedChannel());
    }

    private EmbeddedChannel connect(EmbeddedChannel channel) {
        nanos++;
        channels.add(channel);
        connections.add(channel);
        return channel;
    }

    private HttpConnection connection() {
        return connection(connect());
    }

    private static HttpConnection connection(EmbeddedChannel channel) {
        return Objects.requireNonNull(HttpConnections.of(channel));
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    @Test
    void connectionBeyondTheLimitClosesTheLongestIdle() {
        for (int i = 0; i < MOST; i++) connect();
        connection(channels.get(0)).begin();
        connection(channels.get(1)).begin();
        nanos++;
        connection(channels.get(1)).finished();
        connect();
        assertThat(channels.get(2).isOpen()).isFalse();
        assertThat(channels.stream().filter(EmbeddedChannel::isOpen)).hasSize(MOST);
        assertThat(connections.count()).isEqualTo(MOST);
        assertThat(connections.idle.sum()).isEqualTo(1);
    }

    @Test
    void newestIsClosedIfNoneIsIdle() {
        for (int i = 0; i < MOST; i++) connection().begin();
        assertThat(connect().isOpen()).isFalse();
        assertThat(connections.count()).isEqualTo(MOST);
        assertThat(connections.full.sum()).isEqualTo(1);
    }

    /** Closes only when the test calls for it, as if its event loop were busy until then. */
    private static final class LateClose extends ChannelOutboundHandlerAdapter {
        private final List<Runnable> closes = new ArrayList<>();

        @Override
        public void close(ChannelHandlerContext context, ChannelPromise promise) {
            closes.add(() -> context.close(promise));
        }

        boolean isAsked() {
            return !closes.isEmpty();
        }

        void closeNow() {
            closes.forEach(Runnable::run);
        }
    }

    private List<LateClose> connectLate(int howMany) {
        List<LateClose> late = new ArrayList<>();
        for (int i = 0; i < howMany; i++) {
            LateClose close = new LateClose();
            late.add(close);
            connect(new EmbeddedChannel(close));
        }
        return late;
    }

    @Test
    void burstClosesAnotherIdleConnectionForEachNewOne() {
        List<LateClose> idle = connectLate(MOST);
        List<LateClose> burst = connectLate(5);
        assertThat(idle.stream().map(LateClose::isAsked))
                .startsWith(true, true, true, true, true, false)
                .filteredOn(asked -> asked)
                .hasSize(5);
        assertThat(burst).noneMatch(LateClose::isAsked);
        assertThat(connections.count()).isEqualTo(MOST);
        assertThat(connections.idle.sum()).isEqualTo(5);
        idle.forEach(LateClose::closeNow);
        assertThat(connections.count()).isEqualTo(MOST);
    }

    @Test
    void burstIsClosedIfNoneIsIdle() {
        connectLate(MOST);
        channels.forEach(channel -> connection(channel).begin());
        List<LateClose> burst = connectLate(5);
        assertThat(burst).allMatch(LateClose::isAsked);
        assertThat(connections.count()).isEqualTo(MOST);
        assertThat(connections.full.sum()).isEqualTo(5);
    }

    @Test
    void responseBeyondTheLimitIsRejectedWhileOthersAreYoung() {
        assertThat(connection().hold(7 * MEGABYTE)).isTrue();
        pass(Duration.ofMillis(999));
        assertThat(connection().hold(2 * MEGABYTE)).isFalse();
        assertThat(connections.bytes()).isEqualTo(7 * MEGABYTE);
        assertThat(connections.refused.sum()).isEqualTo(1);
    }

    @Test
    void oldestResponsesMakeRoomForTheNextRequest() {
        assertThat(connection().hold(3 * MEGABYTE)).isTrue();
        assertThat(connection().hold(4 * MEGABYTE)).isTrue();
        pass(Duration.ofSeconds(2));
        HttpConnection another = connection();
        assertThat(another.hold(2 * MEGABYTE)).isFalse();
        assertThat(another.hold(2 * MEGABYTE)).isTrue();
        assertThat(channels.get(0).isOpen()).isFalse();
        assertThat(channels.get(1).isOpen()).isTrue();
        assertThat(connections.bytes()).isEqualTo(6 * MEGABYTE);
        assertThat(connections.cutOff.sum()).isEqualTo(1);
    }

    @Test
    void bytesAreAvailableOnceTheOldestResponsesHaveEnded() {
        assertThat(connection().hold(8 * MEGABYTE)).isTrue();
        assertThat(connections.hasRoom()).isFalse();
        pass(Duration.ofSeconds(2));
        assertThat(connections.hasRoom()).isFalse();
        assertThat(connections.hasRoom()).isTrue();
        assertThat(connections.bytes()).isZero();
    }

    @Test
    void smallResponsesAreSentAtTheLimit() {
        assertThat(connection().hold(8 * MEGABYTE)).isTrue();
        assertThat(connection().hold(200)).isTrue();
    }

    @Test
    void bytesAreReleasedOnceForEveryKindOfClose() {
        EmbeddedChannel channel = connect();
        HttpConnection connection = connection(channel);
        assertThat(connection.hold(MEGABYTE)).isTrue();
        channel.close();
        connection.release(MEGABYTE);
        assertThat(connections.bytes()).isZero();
        assertThat(connections.count()).isZero();
        assertThat(connection.hold(1)).isFalse();
        assertThat(connections.bytes()).isZero();
    }

    @Test
    void upgradedConnectionIsNoLongerTracked() {
        EmbeddedChannel channel = connect();
        HttpConnections.leave(channel);
        assertThat(HttpConnections.of(channel)).isNull();
        assertThat(connections.count()).isZero();
        assertThat(channel.isOpen()).isTrue();
    }
}

package chat.load.driver;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.dialect.Dialects;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(240)
class SocketsTest {
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    /** The first has no address and fails before anything is tried, the second is refused a little later. */
    static List<String> nobodyThere() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return List.of("ws://" + "x".repeat(70) + ".invalid:1", "ws://127.0.0.1:" + free.getLocalPort());
        }
    }

    @ParameterizedTest
    @MethodSource("nobodyThere")
    void aFailureIsHeardOnceOnTheLoopAndNotBeforeTheSocketIsThere(String url) throws Exception {
        try (Sockets sockets = new Sockets(List.of(ServerUrl.parse(url)), 1)) {
            EventLoop loop = sockets.nextLoop();
            loop.submit(() -> {
                        open(sockets, loop);
                        events.add("there");
                    })
                    .get();
            assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("there");
            assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("ended 1006, on its loop: true");
            loop.submit(() -> {}).get();
            assertThat(events).isEmpty();
        }
    }

    @Test
    void aSocketThatIsGivenUpBeforeItIsConnectedEndsOnceAndIsNeverOpened() throws Exception {
        try (FakeChat chat = new FakeChat(1, new FakeChat.Faults());
                Sockets sockets = new Sockets(chat.urls(), 1)) {
            EventLoop loop = sockets.nextLoop();
            loop.submit(() -> open(sockets, loop).close()).get();
            assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("ended 1006, on its loop: true");
            loop.submit(() -> {}).get();
            assertThat(events).isEmpty();
        }
    }

    @Test
    void anUpgradeThatIsRefusedEndsWithItsStatus() throws Exception {
        FakeChat.Faults faults = new FakeChat.Faults();
        faults.upgradeStatus = 403;
        try (FakeChat chat = new FakeChat(1, faults);
                Sockets sockets = new Sockets(chat.urls(), 1)) {
            EventLoop loop = sockets.nextLoop();
            loop.submit(() -> open(sockets, loop)).get();
            assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("ended 403, on its loop: true");
        }
    }

    @Test
    void closingClientReceivesTheServersClose() throws Exception {
        try (FakeChat chat = new FakeChat(1, new FakeChat.Faults());
                Sockets sockets = new Sockets(chat.urls(), 1)) {
            EventLoop loop = sockets.nextLoop();
            ChatSocket socket = loop.submit(() -> open(sockets, loop)).get();
            assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("opened");
            loop.submit(socket::close).get();
            assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("ended 1006, on its loop: true");
            loop.submit(() -> socket.fail(Ending.abnormal("once more"))).get();
            assertThat(events).isEmpty();
        }
    }

    private ChatSocket open(Sockets sockets, EventLoop loop) {
        return sockets.open(loop, 0, "/chat/7", Dialects.confab(), null, false, true, new ChatSocket.Listener() {
            @Override
            public void opened() {
                events.add("opened");
            }

            @Override
            public void controlFrame() {
                events.add("heard");
            }

            @Override
            public void frame(ByteBuf payload) {
                events.add("frame");
            }

            @Override
            public void ended(Ending ending) {
                events.add("ended " + ending.code() + ", on its loop: " + loop.inEventLoop());
            }
        });
    }
}

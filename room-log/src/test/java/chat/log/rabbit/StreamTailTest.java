package chat.log.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.log.LogUnavailable;
import chat.log.RoomLog.Start;
import chat.log.RoomLog.TailHandler;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class StreamTailTest {
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private final StreamTail tail = new StreamTail("t.0", new Start.First(), new Unheard());

    /** Records the requests to the broker; the request of this name times out. */
    private Connection connection(String unanswered, Runnable whenOpened) {
        Channel channel = proxy(Channel.class, (self, method, arguments) -> {
            asked.add(method.getName());
            if (method.getName().equals(unanswered)) throw new IOException("no answer");
            return null;
        });
        return proxy(Connection.class, (self, method, arguments) -> {
            asked.add(method.getName());
            if (!method.getName().equals("createChannel")) return null;
            whenOpened.run();
            return channel;
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Test
    void closedTailOpensNoChannel() throws IOException {
        tail.close();
        tail.open(connection("", () -> {}), 1);
        assertThat(asked).isEmpty();
    }

    @Test
    void channelOpenedAfterCloseIsClosed() {
        assertThatThrownBy(() -> tail.open(connection("basicConsume", tail::close), 1))
                .isInstanceOf(IOException.class);
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> asked.contains("abort"));
    }

    private static final class Unheard implements TailHandler {
        @Override
        public void entry(long offset, byte[] bytes) {
            throw new AssertionError("nothing was to be read");
        }

        @Override
        public void ended(LogUnavailable cause) {
            throw new AssertionError("the reader closed the tail", cause);
        }
    }
}

package chat.log.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.LogUnavailable;
import chat.log.LogUnavailable.Outcome;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmCallback;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ReturnCallback;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConfirmingPublisherTest {
    private static final RabbitLogSettings SETTINGS =
            new RabbitLogSettings(URI.create("amqp://localhost"), 1, "t", 16, Duration.ofSeconds(1));

    private final LaterExecutor thread = new LaterExecutor();
    private final List<String> events = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private final ConfirmingPublisher publisher = new ConfirmingPublisher(
            SETTINGS, thread, () -> events.add("closing"), why -> events.add("lost"), faults::add);
    private ScriptedChannel channel = new ScriptedChannel();

    @BeforeEach
    void open() throws IOException {
        publisher.open(channel.connection());
    }

    private CompletableFuture<Void> publish(String entry) {
        CompletableFuture<Void> done =
                publisher.publish(0, entry.getBytes(StandardCharsets.UTF_8)).toCompletableFuture();
        done.whenComplete((unused, failure) ->
                events.add(entry + (failure instanceof LogUnavailable why ? " " + why.outcome() : " confirmed")));
        return done;
    }

    @Test
    void confirmsCompleteAllCoveredEntries() throws IOException {
        publish("a");
        publish("b");
        publish("c");
        thread.runAll();

        channel.confirms.handle(2, true);

        assertThat(channel.published).containsExactly("a", "b", "c");
        assertThat(events).containsExactly("a confirmed", "b confirmed");
    }

    @Test
    void returnedEntryIsNotWrittenEvenIfConfirmed() throws IOException {
        publish("a");
        publish("b");
        thread.runAll();

        channel.returns.handle(returned("1"));
        channel.confirms.handle(2, true);

        assertThat(events).containsExactly("a NOT_WRITTEN", "b confirmed");
    }

    @Test
    void lostChannelLeavesOutcomesUnknown() throws IOException {
        publish("a");
        publish("b");
        thread.runAll();
        channel.confirms.handle(1, false);

        channel.shut();

        assertThat(events).containsExactly("a confirmed", "lost", "b UNKNOWN");
        assertThat(publisher.isOpen()).isFalse();
    }

    @Test
    void entryOfALostChannelIsNotPublishedOnTheNext() throws IOException {
        publish("a");
        thread.runAll();
        publish("b");
        channel.shut();
        channel = new ScriptedChannel();
        publisher.open(channel.connection());

        publish("c");
        thread.runAll();

        assertThat(channel.published).containsExactly("c");
        assertThat(events).containsExactly("lost", "a " + Outcome.UNKNOWN, "b " + Outcome.NOT_WRITTEN);
    }

    @Test
    void lateConfirmOfALostChannelIsIgnored() throws IOException {
        ScriptedChannel first = channel;
        publish("a");
        thread.runAll();
        first.shut();
        channel = new ScriptedChannel();
        publisher.open(channel.connection());
        CompletableFuture<Void> b = publish("b");
        thread.runAll();

        first.confirms.handle(1, true);
        first.shut();

        assertThat(b).isNotDone();
        assertThat(publisher.isOpen()).isTrue();
    }

    /** The loss of the old channel is reported after the new one was opened. */
    @Test
    void openingAChannelFailsEntriesOfThePreviousOne() throws IOException {
        ScriptedChannel first = channel;
        publish("a");
        thread.runAll();
        channel = new ScriptedChannel();
        publisher.open(channel.connection());
        publish("b");
        thread.runAll();

        channel.confirms.handle(1, true);
        first.shut();

        assertThat(events).containsExactly("lost", "a UNKNOWN", "b confirmed");
        assertThat(publisher.isOpen()).isTrue();
    }

    @Test
    void aNackClosesTheChannel() throws IOException {
        publish("a");
        publish("b");
        thread.runAll();

        channel.nacks.handle(1, false);
        thread.runAll();

        assertThat(channel.aborted).isTrue();
        assertThat(events).containsExactly("closing", "lost", "a UNKNOWN", "b UNKNOWN");
    }

    /** The broker's multiple confirm of later entries covers the nacked one. */
    @Test
    void multipleConfirmDoesNotConfirmANackedEntry() throws IOException {
        publish("a");
        publish("b");
        publish("c");
        thread.runAll();

        channel.nacks.handle(2, false);
        channel.confirms.handle(3, true);
        thread.runAll();

        assertThat(events).containsExactly("closing", "a confirmed", "c confirmed", "lost", "b UNKNOWN");
    }

    @Test
    void entryAfterANackIsNotPublished() throws IOException {
        publish("a");
        thread.runAll();
        publish("b");

        channel.nacks.handle(1, false);
        publish("c");
        assertThat(publisher.isOpen()).isFalse();
        thread.runAll();

        assertThat(channel.published).containsExactly("a");
        assertThat(events).containsExactly("closing", "b NOT_WRITTEN", "lost", "a UNKNOWN", "c NOT_WRITTEN");
    }

    @Test
    void eachReturnedEntryIsAFault() throws IOException {
        publish("a");
        publish("b");
        thread.runAll();

        channel.returns.handle(returned("1"));
        channel.returns.handle(returned("2"));

        assertThat(faults).hasSize(2);
    }

    @Test
    void replacedChannelIsClosedFirstAndLeavesOutcomesUnknown() throws IOException {
        ScriptedChannel first = channel;
        publish("a");
        thread.runAll();
        publish("b");
        channel = new ScriptedChannel();
        first.whenAborted = () -> events.add("aborted");

        assertThat(publisher.replace(channel.connection())).isTrue();
        publish("c");
        thread.runAll();
        channel.confirms.handle(1, false);

        assertThat(channel.published).containsExactly("c");
        assertThat(events).containsExactly("aborted", "a UNKNOWN", "b UNKNOWN", "c confirmed");
        assertThat(publisher.isOpen()).isTrue();
    }

    @Test
    void lostReplacementLosesTheChannel() throws IOException {
        ScriptedChannel first = channel;
        publish("a");
        thread.runAll();
        ScriptedChannel second = new ScriptedChannel();
        first.whenAborted = second::shut;

        assertThat(publisher.replace(second.connection())).isFalse();
        assertThat(events).containsExactly("lost", "a UNKNOWN");
        assertThat(publisher.isOpen()).isFalse();

        publisher.open(channel(new ScriptedChannel()));
        publish("b");
        thread.runAll();
        channel.confirms.handle(1, false);
        assertThat(events).endsWith("b confirmed");
    }

    @Test
    void replacementAfterAReconnectIsClosed() throws IOException {
        ScriptedChannel first = channel;
        publish("a");
        thread.runAll();
        ScriptedChannel second = new ScriptedChannel();
        ScriptedChannel third = new ScriptedChannel();
        first.whenAborted = () -> {
            try {
                publisher.open(channel(third));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        };

        assertThat(publisher.replace(second.connection())).isFalse();
        publish("b");
        thread.runAll();

        assertThat(second.aborted).isTrue();
        assertThat(third.published).containsExactly("b");
        assertThat(events).containsExactly("lost", "a UNKNOWN");
        assertThat(publisher.isOpen()).isTrue();
    }

    private Connection channel(ScriptedChannel next) {
        channel = next;
        return next.connection();
    }

    private static Return returned(String messageId) {
        BasicProperties properties =
                new BasicProperties.Builder().messageId(messageId).build();
        return new Return(312, "NO_ROUTE", "t.exchange", "room.0", properties, new byte[0]);
    }

    /** Queues its steps until {@link #runAll}. */
    private static final class LaterExecutor extends AbstractExecutorService {
        private final Deque<Runnable> steps = new ArrayDeque<>();

        void runAll() {
            Runnable step;
            while ((step = steps.poll()) != null) step.run();
        }

        @Override
        public void execute(Runnable step) {
            steps.add(step);
        }

        @Override
        public void shutdown() {}

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }

    /** The few methods of a channel that the publisher uses. */
    private static final class ScriptedChannel {
        final List<String> published = new ArrayList<>();
        ConfirmCallback confirms = (tag, multiple) -> {};
        ConfirmCallback nacks = (tag, multiple) -> {};
        ReturnCallback returns = returned -> {};
        boolean aborted;
        Runnable whenAborted = () -> {};
        private ShutdownListener shutdown = cause -> {};
        private boolean open = true;

        private final Channel channel = proxy(Channel.class, (self, method, arguments) -> {
            switch (method.getName()) {
                case "addConfirmListener" -> {
                    confirms = (ConfirmCallback) arguments[0];
                    nacks = (ConfirmCallback) arguments[1];
                }
                case "addReturnListener" -> returns = (ReturnCallback) arguments[0];
                case "addShutdownListener" -> shutdown = (ShutdownListener) arguments[0];
                case "getNextPublishSeqNo" -> {
                    return published.size() + 1L;
                }
                case "basicPublish" -> published.add(new String((byte[]) arguments[4], StandardCharsets.UTF_8));
                case "isOpen" -> {
                    return open;
                }
                case "abort" -> {
                    aborted = true;
                    whenAborted.run();
                    shut();
                }
                case "equals" -> {
                    return arguments[0] != null
                            && Proxy.getInvocationHandler(self).equals(Proxy.getInvocationHandler(arguments[0]));
                }
                default -> {}
            }
            return null;
        });

        Connection connection() {
            return proxy(
                    Connection.class,
                    (self, method, arguments) -> method.getName().equals("createChannel") ? channel : null);
        }

        void shut() {
            open = false;
            shutdown.shutdownCompleted(new ShutdownSignalException(false, false, null, channel));
        }

        private static <T> T proxy(Class<T> type, InvocationHandler handler) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
        }
    }
}

package chat.log.rabbit;

import chat.log.LogUnavailable;
import chat.log.LogUnavailable.Outcome;
import chat.log.RoomLog.Start;
import chat.log.RoomLog.Tail;
import chat.log.RoomLog.TailHandler;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A subscription to one stream, on its own channel. */
final class StreamTail implements Tail {
    private static final String OFFSET = "x-stream-offset";

    private record Delivered(long offset, long tag) {}

    private final String stream;
    private final Start start;
    private final TailHandler handler;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Deque<Delivered> unacknowledged = new ArrayDeque<>();
    private volatile @Nullable Channel channel;

    StreamTail(String stream, Start start, TailHandler handler) {
        this.stream = stream;
        this.start = start;
        this.handler = handler;
    }

    /** Subscribes, in one or two round trips, unless the reader has closed it; on the control thread. */
    void open(Connection connection, int credit) throws IOException {
        if (ended.get()) return;
        Channel opened = connection.createChannel();
        if (opened == null) throw new IOException("the broker allows no more channels");
        channel = opened;
        try {
            consume(opened, credit);
        } finally {
            if (ended.get()) abort(); // closed by the reader while the channel was being created
        }
    }

    private void consume(Channel opened, int credit) throws IOException {
        opened.basicQos(credit);
        opened.basicConsume(stream, false, "", false, false, Map.of(OFFSET, offset()), new DefaultConsumer(opened) {
            @Override
            public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body) {
                delivered(envelope.getDeliveryTag(), properties, body);
            }

            @Override
            public void handleCancel(String tag) {
                end("the stream " + stream + " was deleted or moved");
            }

            @Override
            public void handleShutdownSignal(String tag, ShutdownSignalException cause) {
                end(Link.reason(cause));
            }
        });
    }

    private Object offset() {
        return switch (start) {
            case Start.First first -> "first";
            case Start.Last last -> "last";
            case Start.At at -> at.offset();
            case Start.Ago ago -> secondsUp(ago.time()) + "s";
        };
    }

    /** An age in full seconds, which the broker compares with its own clock. */
    private static long secondsUp(Duration time) {
        return Math.ceilDiv(time.toMillis(), 1_000L);
    }

    private void delivered(long tag, BasicProperties properties, byte[] body) {
        if (ended.get()) return;
        Object header =
                properties.getHeaders() == null ? null : properties.getHeaders().get(OFFSET);
        if (!(header instanceof Number number)) {
            end("the broker sent an entry without an offset: is " + stream + " a stream?");
            return;
        }
        long offset = number.longValue();
        synchronized (unacknowledged) {
            unacknowledged.add(new Delivered(offset, tag));
        }
        if (start instanceof Start.At at && offset < at.offset()) handled(offset); // an earlier entry of the same chunk
        else handler.entry(offset, body);
    }

    @Override
    public void handled(long offset) {
        long tag = -1;
        synchronized (unacknowledged) {
            Delivered first;
            while ((first = unacknowledged.peek()) != null && first.offset <= offset) {
                tag = first.tag;
                unacknowledged.remove();
            }
        }
        Channel current = channel;
        if (tag < 0 || current == null || ended.get()) return;
        try {
            current.basicAck(tag, true);
        } catch (IOException | AlreadyClosedException closing) {
            // The shutdown listener of the channel notifies the handler.
        }
    }

    /** Notifies the handler, once; returns false if the tail had ended or was closed before. */
    boolean end(String why) {
        if (!ended.compareAndSet(false, true)) return false;
        handler.ended(new LogUnavailable(Outcome.UNKNOWN, why));
        abort();
        return true;
    }

    @Override
    public void close() {
        if (ended.compareAndSet(false, true)) abort();
    }

    private void abort() {
        Channel current = channel;
        if (current == null) return;
        // Closing waits for the broker's answer, which the calling thread may have to deliver.
        Thread.ofVirtual().name("close " + stream).start(() -> {
            try {
                current.abort();
            } catch (IOException | AlreadyClosedException gone) {
                // The channel is closed already.
            }
        });
    }
}

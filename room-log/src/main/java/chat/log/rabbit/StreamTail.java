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

/** One subscription of one stream, on a channel of its own. */
final class StreamTail implements Tail {
    private static final String OFFSET = "x-stream-offset";

    private record Delivered(long offset, long tag) {}

    private final String stream;
    private final Start start;
    private final TailHandler handler;
    private final AtomicBoolean over = new AtomicBoolean();
    private final Deque<Delivered> unacknowledged = new ArrayDeque<>();
    private volatile @Nullable Channel channel;

    StreamTail(String stream, Start start, TailHandler handler) {
        this.stream = stream;
        this.start = start;
        this.handler = handler;
    }

    /** A round trip or two, unless its reader has gone; on the control thread. */
    void open(Connection connection, int credit) throws IOException {
        if (over.get()) return;
        Channel opened = connection.createChannel();
        if (opened == null) throw new IOException("the broker allows no more channels");
        channel = opened;
        try {
            consume(opened, credit);
        } finally {
            if (over.get()) abort(); // its reader went meanwhile, when there may have been nothing to close
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

    /** The broker takes that off its own clock, by which it has kept the times of what it stored. */
    private static long secondsUp(Duration time) {
        return Math.ceilDiv(time.toMillis(), 1_000L);
    }

    private void delivered(long tag, BasicProperties properties, byte[] body) {
        if (over.get()) return;
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
        if (start instanceof Start.At at && offset < at.offset()) handled(offset); // of the same chunk, not asked for
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
        if (tag < 0 || current == null || over.get()) return;
        try {
            current.basicAck(tag, true);
        } catch (IOException | AlreadyClosedException closing) {
            // The channel's own shutdown tells the handler.
        }
    }

    /** Tells the handler, once; returns whether there was anybody to tell. */
    boolean end(String why) {
        if (!over.compareAndSet(false, true)) return false;
        handler.ended(new LogUnavailable(Outcome.UNKNOWN, why));
        abort();
        return true;
    }

    @Override
    public void close() {
        if (over.compareAndSet(false, true)) abort();
    }

    private void abort() {
        Channel current = channel;
        if (current == null) return;
        // Closing waits for the broker, and the caller may be a thread that brings its answer.
        Thread.ofVirtual().name("close " + stream).start(() -> {
            try {
                current.abort();
            } catch (IOException | AlreadyClosedException gone) {
                // That is what was wanted.
            }
        });
    }
}

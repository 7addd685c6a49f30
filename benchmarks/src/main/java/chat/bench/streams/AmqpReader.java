package chat.bench.streams;

import chat.log.LogUnavailable;
import chat.log.RoomLog;
import chat.log.RoomLog.Start;
import chat.log.RoomLog.Tail;
import chat.log.RoomLog.TailHandler;
import chat.log.rabbit.RabbitLogSettings;
import chat.log.rabbit.RabbitRoomLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Reads as the platform does, with the same grouping of acknowledgements. */
final class AmqpReader implements StreamReader {
    /** This and the next constant are those of chat.log.LogReader. */
    private static final int ACKNOWLEDGED_TOGETHER = 8;

    private static final int ACKNOWLEDGE_AFTER_MILLIS = 20;

    private final RoomLog log;
    private final List<Window> windows = new ArrayList<>();
    private final List<Tail> tails = new ArrayList<>();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    AmqpReader(RabbitLogSettings settings, int number) {
        log = new RabbitRoomLog(settings, "reader " + number, RabbitRoomLog.Access.READ);
        Streams.awaitUp(log);
        for (int partition = 0; partition < log.partitions(); partition++) {
            Window window = new Window();
            Acknowledging handler = new Acknowledging(window);
            Tail tail = log.tail(partition, new Start.Last(), handler);
            handler.tail.complete(tail);
            windows.add(window);
            tails.add(tail);
        }
    }

    private final class Acknowledging implements TailHandler {
        private final Window window;
        private final CompletableFuture<Tail> tail = new CompletableFuture<>();
        private long last;
        private int unhandled;

        Acknowledging(Window window) {
            this.window = window;
        }

        @Override
        public void entry(long offset, byte[] bytes) {
            window.read(bytes);
            handled(offset);
        }

        private synchronized void handled(long offset) {
            last = offset;
            if (++unhandled == 1) timer.schedule(this::acknowledge, ACKNOWLEDGE_AFTER_MILLIS, TimeUnit.MILLISECONDS);
            else if (unhandled >= ACKNOWLEDGED_TOGETHER) acknowledge();
        }

        private synchronized void acknowledge() {
            if (unhandled == 0) return;
            unhandled = 0;
            tail.join().handled(last);
        }

        @Override
        public void ended(LogUnavailable cause) {
            System.err.println("A reader lost its stream: " + cause.getMessage());
        }
    }

    @Override
    public List<Window> windows() {
        return windows;
    }

    @Override
    public void close() {
        tails.forEach(Tail::close);
        timer.shutdownNow();
        log.close();
    }
}

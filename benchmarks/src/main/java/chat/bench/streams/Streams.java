package chat.bench.streams;

import chat.log.RoomLog;
import chat.log.rabbit.RabbitLogSettings;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Declares the streams of the measurement: as many as the platform has by default. */
final class Streams {
    static final int COUNT = 4;
    private static final String PREFIX = "bench";

    private Streams() {}

    static RabbitLogSettings settings(String uri, int credit) {
        return new RabbitLogSettings(URI.create(uri), COUNT, PREFIX, credit, Duration.ofSeconds(5));
    }

    static List<String> names() {
        return IntStream.range(0, COUNT).mapToObj(i -> PREFIX + ".log." + i).toList();
    }

    static void awaitUp(RoomLog log) {
        CountDownLatch up = new CountDownLatch(1);
        Runnable look = () -> {
            if (log.state() == RoomLog.State.UP) up.countDown();
        };
        log.onStateChange(look);
        look.run();
        try {
            if (!up.await(30, TimeUnit.SECONDS)) throw new IllegalStateException("RabbitMQ is not ready after 30 s");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while connecting", interrupted);
        }
    }
}

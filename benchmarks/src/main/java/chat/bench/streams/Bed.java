package chat.bench.streams;

import chat.bench.process.Cpu;
import chat.log.RoomLog;
import chat.log.rabbit.RabbitRoomLog;
import chat.nodes.RabbitNode;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Measures one row after the other, with a broker, this process as publisher, and another process as reader. */
final class Bed implements AutoCloseable {
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int CREDIT_OF_PUBLISHER = 16;

    private final String broker;
    private final long brokerPid;
    private final RoomLog log;
    private final Readers readers;

    Bed(String broker, RabbitNode node, int streamPort) throws IOException {
        this.broker = broker;
        this.brokerPid = node.pid();
        this.log = new RabbitRoomLog(
                Streams.settings(node.uri(), CREDIT_OF_PUBLISHER), "publisher", RabbitRoomLog.Access.READ_AND_WRITE);
        Streams.awaitUp(log);
        this.readers = new Readers(node.uri(), streamPort);
    }

    Measured measure(Way way, Load load, double seconds) throws IOException, InterruptedException {
        long length = (long) (seconds * 1e9);
        // Readers start from the last entry, which an empty stream does not have.
        for (int i = 0; i < log.partitions(); i++)
            log.append(i, Stamp.entry(Long.BYTES, 0)).toCompletableFuture().join();
        readers.open(way, load.readers());
        try (Publishing publishing = new Publishing(log, load)) {
            long from = System.nanoTime() + SETTLE_NANOS;
            long to = from + length;
            readers.window(from, to);
            sleepUntil(from);
            long brokerBefore = Cpu.nanos(brokerPid);
            long readerBefore = Cpu.nanos(readers.pid());
            long confirmedBefore = publishing.confirmed();
            sleepUntil(to);
            long brokerNanos = Cpu.nanos(brokerPid) - brokerBefore;
            long readerNanos = Cpu.nanos(readers.pid()) - readerBefore;
            long confirmed = publishing.confirmed() - confirmedBefore;
            Readers.Told told = readers.tell();
            double readInTime = load.readers() == 0 ? 0 : (double) told.entries() / load.readers();
            long expected = publishing.meantBetween(from, to) * load.readers();
            long giveUp = System.nanoTime() + LATE_NANOS;
            while (told.entries() < expected && System.nanoTime() - giveUp < 0) {
                sleepUntil(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20));
                told = readers.tell();
            }
            return new Measured(
                    broker,
                    load.readers() == 0 ? "none" : way.toString(),
                    load,
                    confirmed / seconds,
                    readInTime / seconds,
                    told.entries() == expected && publishing.failed() == 0,
                    told.p50() / 1e3,
                    told.p99() / 1e3,
                    brokerNanos / 1e3 / Math.max(1, confirmed),
                    readerNanos / 1e3 / Math.max(1, confirmed));
        }
    }

    private static void sleepUntil(long nanoTime) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanoTime - System.nanoTime());
    }

    @Override
    public void close() {
        readers.close();
        log.close();
    }
}

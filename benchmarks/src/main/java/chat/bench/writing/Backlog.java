package chat.bench.writing;

import chat.log.LogCounters;
import chat.log.LogEntry;
import chat.log.LogGap;
import chat.log.LogPartition;
import chat.log.LogSettings;
import chat.log.OutgoingMessage;
import chat.log.PartitionLoop;
import chat.log.RoomLog;
import chat.protocol.ChatMessage;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Writes messages into the log as a chat server does, and nobody stores them. */
final class Backlog implements LogPartition.Owner<Boolean>, AutoCloseable {
    private static final byte[] ADDRESS = {10, 1, 2, 3};

    private final ScheduledExecutorService loop;
    private final LogPartition<Boolean> partition;
    private final CountDownLatch started = new CountDownLatch(1);

    private Backlog(RoomLog log, int number) {
        loop = PartitionLoop.named("backlog-" + number);
        partition = new LogPartition<>(
                log,
                number,
                Row.SERVER,
                ThreadLocalRandom.current().nextLong(),
                LogSettings.DEFAULT,
                Clock.systemUTC(),
                loop,
                new LogCounters(),
                this);
        partition.start();
    }

    /** Fills all partitions; returns when the log has confirmed everything. */
    static void write(RoomLog log, long messages) throws InterruptedException {
        List<Backlog> partitions = new ArrayList<>();
        try {
            for (int i = 0; i < log.partitions(); i++) partitions.add(new Backlog(log, i));
            for (Backlog each : partitions)
                if (!each.started.await(30, TimeUnit.SECONDS))
                    throw new IllegalStateException("the log does not start");
            Messages texts = new Messages(0);
            SplittableRandom random = new SplittableRandom(1);
            RoomId[] rooms = new RoomId[Messages.ROOMS];
            for (int i = 0; i < rooms.length; i++) rooms[i] = new RoomId("room-" + (i + 1));
            for (long i = 0; i < messages; i++) {
                RoomId room = rooms[random.nextInt(rooms.length)];
                partitions.get(room.partition(log.partitions())).offer(message(room, texts, random));
            }
            for (Backlog each : partitions)
                each.partition.drain().orTimeout(2, TimeUnit.MINUTES).join();
        } finally {
            for (Backlog each : partitions) each.close();
        }
    }

    private static OutgoingMessage message(RoomId room, Messages texts, SplittableRandom random) {
        String user = Integer.toString(1 + random.nextInt(Messages.USERS));
        long now = System.currentTimeMillis();
        UUID id = texts.id(now);
        ChatMessage message =
                new ChatMessage(id, new Member(user, "user" + user), MessageType.TEXT, texts.anyText(), now);
        return new OutgoingMessage(room, id, MessageType.TEXT, user, now, ADDRESS, MessageJson.encode(message));
    }

    private void offer(OutgoingMessage message) throws InterruptedException {
        while (true) {
            switch (partition.offer(message, Boolean.TRUE)) {
                case TAKEN -> {
                    return;
                }
                case FULL -> {
                    CountDownLatch room = new CountDownLatch(1);
                    partition.whenRoom(room::countDown);
                    if (!room.await(1, TimeUnit.MINUTES)) throw new IllegalStateException("the log stays full");
                }
                case UNAVAILABLE -> throw new IllegalStateException("the log is not available");
            }
        }
    }

    @Override
    public void entry(LogEntry entry, @Nullable List<Boolean> own) {}

    @Override
    public void gap(LogGap gap) {
        throw new IllegalStateException("a gap: " + gap);
    }

    @Override
    public void refused(List<Boolean> messages) {
        throw new IllegalStateException("refused");
    }

    @Override
    public void outcomeUnknown(List<Boolean> messages) {
        throw new IllegalStateException("unknown");
    }

    @Override
    public void started() {
        started.countDown();
    }

    @Override
    public void close() {
        partition.close();
        loop.shutdown();
    }
}

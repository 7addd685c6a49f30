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

/** Publishes messages to the log as a chat server does, uniformly distributed over users. Not thread-safe. */
final class Feed implements AutoCloseable {
    private static final byte[] ADDRESS = {10, 1, 2, 3};
    /** Coprime to the number of rooms, so that a user's rooms are different. */
    private static final int STRIDE = 101;

    private final List<Part> parts = new ArrayList<>();
    private final Messages texts = new Messages(0);
    private final SplittableRandom random = new SplittableRandom(1);
    private final RoomId[] rooms = new RoomId[Messages.ROOMS];
    private final int roomsOfAUser;

    /** @param roomsOfAUser number of rooms in which each user writes, 1 to {@link Messages#ROOMS} */
    Feed(RoomLog log, int roomsOfAUser) throws InterruptedException {
        this.roomsOfAUser = roomsOfAUser;
        for (int i = 0; i < rooms.length; i++) rooms[i] = new RoomId("room-" + (i + 1));
        for (int i = 0; i < log.partitions(); i++) parts.add(new Part(log, i));
        for (Part part : parts)
            if (!part.started.await(30, TimeUnit.SECONDS)) {
                close();
                throw new IllegalStateException("the log did not start");
            }
    }

    /** Publishes a message; waits while the log is full. */
    void next() throws InterruptedException {
        int user = 1 + random.nextInt(Messages.USERS);
        RoomId room = rooms[(user + random.nextInt(roomsOfAUser) * STRIDE) % rooms.length];
        parts.get(room.partition(parts.size())).offer(message(room, Integer.toString(user)));
    }

    /** Returns when the log has confirmed everything. */
    void drain() {
        for (Part part : parts)
            part.partition.drain().orTimeout(2, TimeUnit.MINUTES).join();
    }

    private OutgoingMessage message(RoomId room, String user) {
        long now = System.currentTimeMillis();
        UUID id = texts.id(now);
        ChatMessage message =
                new ChatMessage(id, new Member(user, "user" + user), MessageType.TEXT, texts.anyText(), now);
        return new OutgoingMessage(room, id, MessageType.TEXT, user, now, ADDRESS, MessageJson.encode(message));
    }

    @Override
    public void close() {
        for (Part part : parts) part.close();
    }

    /** One partition. */
    private static final class Part implements LogPartition.Owner<Boolean>, AutoCloseable {
        private final ScheduledExecutorService loop;
        private final LogPartition<Boolean> partition;
        private final CountDownLatch started = new CountDownLatch(1);

        Part(RoomLog log, int number) {
            loop = PartitionLoop.named("feed-" + number);
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

        private void offer(OutgoingMessage message) throws InterruptedException {
            while (true) {
                switch (partition.offer(message, Boolean.TRUE)) {
                    case TAKEN -> {
                        return;
                    }
                    case FULL -> {
                        CountDownLatch room = new CountDownLatch(1);
                        partition.whenRoom(room::countDown);
                        if (!room.await(1, TimeUnit.MINUTES))
                            throw new IllegalStateException("the log was full for 1 minute");
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
}

package chat.persistence;

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
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Writes one partition as a chat server does, and remembers what was accepted and where. */
public final class Writer implements LogPartition.Owner<UUID>, AutoCloseable {
    private final ScheduledExecutorService loop;
    private final LogPartition<UUID> partition;
    private final CountDownLatch started = new CountDownLatch(1);
    private final Map<UUID, Long> accepted = new LinkedHashMap<>();
    /** Guarded by {@link #accepted}. */
    private final List<UUID> lost = new ArrayList<>();

    public Writer(RoomLog log, int number) {
        loop = PartitionLoop.named("writer-" + number);
        partition = new LogPartition<>(
                log,
                number,
                "server-1",
                ThreadLocalRandom.current().nextLong(),
                LogSettings.DEFAULT,
                Clock.systemUTC(),
                loop,
                new LogCounters(),
                this);
        partition.start();
    }

    /** Waits until the log takes messages. */
    public Writer awaitStarted() throws InterruptedException {
        if (!started.await(10, TimeUnit.SECONDS)) throw new IllegalStateException("the log did not start");
        return this;
    }

    /** Whether the log takes messages now. */
    public boolean available() {
        return partition.available();
    }

    public UUID say(String room, String text) {
        return say(room, UUID.randomUUID(), text, System.currentTimeMillis());
    }

    public UUID say(String room, UUID id, String text, long timestamp) {
        ChatMessage message = new ChatMessage(id, new Member("42", "alice42"), MessageType.TEXT, text, timestamp);
        return put(room, id, MessageType.TEXT, timestamp, MessageJson.encode(message));
    }

    public UUID say(String room, Member member, String text, long timestamp) {
        UUID id = UUID.randomUUID();
        ChatMessage message = new ChatMessage(id, member, MessageType.TEXT, text, timestamp);
        return put(room, id, member.userId(), MessageType.TEXT, timestamp, MessageJson.encode(message));
    }

    public UUID join(String room) {
        UUID id = UUID.randomUUID();
        long now = System.currentTimeMillis();
        ChatMessage message = new ChatMessage(id, new Member("42", "alice42"), MessageType.JOIN, null, now);
        return put(room, id, MessageType.JOIN, now, MessageJson.encode(message));
    }

    /** A message whose JSON no chat server would have written. */
    public UUID sayJson(String room, String json) {
        UUID id = UUID.randomUUID();
        return put(room, id, MessageType.TEXT, System.currentTimeMillis(), json.getBytes(StandardCharsets.UTF_8));
    }

    private UUID put(String room, UUID id, MessageType type, long timestamp, byte[] json) {
        return put(room, id, "42", type, timestamp, json);
    }

    private UUID put(String room, UUID id, String userId, MessageType type, long timestamp, byte[] json) {
        OutgoingMessage message =
                new OutgoingMessage(new RoomId(room), id, type, userId, timestamp, new byte[] {10, 1, 2, 3}, json);
        while (true) {
            switch (partition.offer(message, id)) {
                case TAKEN -> {
                    return id;
                }
                case FULL -> awaitRoom();
                case UNAVAILABLE -> throw new IllegalStateException("the log is not available");
            }
        }
    }

    private void awaitRoom() {
        CountDownLatch room = new CountDownLatch(1);
        partition.whenRoom(room::countDown);
        try {
            if (!room.await(30, TimeUnit.SECONDS)) throw new IllegalStateException("the log stays full");
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /** Waits until everything said is in the log; ids by the position at which each was accepted first. */
    public Map<UUID, Long> accepted() {
        partition.drain().orTimeout(30, TimeUnit.SECONDS).join();
        synchronized (accepted) {
            // Recorded here, because an exception on a partition's loop is only logged.
            if (!lost.isEmpty()) throw new IllegalStateException("not in the log: " + lost);
            return new LinkedHashMap<>(accepted);
        }
    }

    @Override
    public void entry(LogEntry entry, @Nullable List<UUID> own) {
        if (own == null) return;
        synchronized (accepted) {
            for (int i = 0; i < own.size(); i++) accepted.putIfAbsent(own.get(i), entry.position(i));
        }
    }

    @Override
    public void gap(LogGap gap) {}

    @Override
    public void refused(List<UUID> messages) {
        synchronized (accepted) {
            lost.addAll(messages);
        }
    }

    @Override
    public void outcomeUnknown(List<UUID> messages) {
        refused(messages);
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

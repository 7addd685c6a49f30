package chat.server.presence;

import chat.log.EntryBuilder;
import chat.log.EntryHeader;
import chat.log.EntryKind;
import chat.log.InMemoryRoomLog;
import chat.log.LogCounters;
import chat.log.LogEntry;
import chat.log.LogListener;
import chat.log.LogReader;
import chat.log.LogSettings;
import chat.log.OutgoingMessage;
import chat.log.PartitionLoop;
import chat.log.Position;
import chat.log.Roster;
import chat.protocol.ChatMessage;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * One partition of an {@link InMemoryRoomLog}, entry by entry: what is written has been read when the call returns, and
 * each simulated server takes the entries from here when the test wants it to.
 */
final class Tape implements AutoCloseable {
    private static final long ORIGIN = 1_763_632_800_000_000L;

    private final InMemoryRoomLog log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
    private final ScheduledExecutorService loop = PartitionLoop.named("tape");
    private final BlockingQueue<LogEntry> parsed = new LinkedBlockingQueue<>();
    private final List<LogEntry> entries = new ArrayList<>();
    private final LogReader reader = new LogReader(
            log,
            0,
            new LogReader.Begin.Beginning(),
            LogSettings.DEFAULT,
            loop,
            0,
            new LogCounters(),
            new LogListener() {
                @Override
                public void entry(LogEntry entry) {
                    parsed.add(entry);
                }
            });

    /** Publishes a message of a member. */
    record Said(RoomId room, Member member, MessageType type) {
        OutgoingMessage message() {
            UUID id = UUID.randomUUID();
            String text = type == MessageType.TEXT ? "hi" : null;
            byte[] json = MessageJson.encode(new ChatMessage(id, member, type, text, 1));
            return new OutgoingMessage(room, id, type, member.userId(), 1, new byte[0], json);
        }
    }

    Tape() {
        reader.start();
        // A log begins with a HELLO, here of an unknown server.
        append(EntryBuilder.encodeEmpty(header(EntryKind.HELLO, 1, 1)));
    }

    private static EntryHeader header(EntryKind kind, long run, long sequence) {
        return new EntryHeader(kind, ORIGIN, 0, run, sequence, "server-" + run);
    }

    private void append(byte[] bytes) {
        log.append(0, bytes);
        try {
            LogEntry entry = parsed.poll(10, TimeUnit.SECONDS);
            if (entry == null) throw new AssertionError("an entry was not read");
            entries.add(entry);
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    void hello(long run, long sequence) {
        append(EntryBuilder.encodeEmpty(header(EntryKind.HELLO, run, sequence)));
    }

    void heartbeat(long run, long sequence) {
        append(EntryBuilder.encodeEmpty(header(EntryKind.HEARTBEAT, run, sequence)));
    }

    void messages(long run, long sequence, List<Said> said) {
        EntryBuilder<Said> builder = new EntryBuilder<>(512 * 1024, Position.MESSAGES_PER_ENTRY);
        for (Said one : said) if (!builder.add(one.message(), one)) throw new AssertionError("too much for one entry");
        append(builder.encode(header(EntryKind.MESSAGES, run, sequence)));
    }

    void roster(long run, long sequence, Roster roster) {
        LogEntry last = entries.getLast();
        entries.add(new LogEntry(
                header(EntryKind.ROSTER, run, sequence), last.epoch(), last.offset() + 1, List.of(), null, roster));
    }

    int size() {
        return entries.size();
    }

    LogEntry entry(int i) {
        return entries.get(i);
    }

    @Override
    public void close() {
        reader.close();
        loop.shutdown();
        log.close();
    }
}

package chat.persistence.ingest;

import chat.log.LogEntry;
import chat.log.Position;
import chat.log.Segment;
import chat.persistence.batch.DeadLetter;
import chat.persistence.batch.EntryRows;
import chat.persistence.batch.Mark;
import chat.persistence.batch.MessageRow;
import chat.protocol.ChatMessage;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decodes log entries into rows. No other part of the platform parses a message's JSON a second time. */
public final class EntryDecoder {
    private EntryDecoder() {}

    public static EntryRows decode(LogEntry entry) {
        List<MessageRow> rows = new ArrayList<>(entry.messages());
        List<DeadLetter> deadLetters = new ArrayList<>();
        for (Segment segment : entry.segments()) {
            for (int i = 0; i < segment.size(); i++) {
                long position = entry.position(segment.firstIndex() + i);
                try {
                    rows.add(row(entry.header().serverId(), segment, i, position));
                } catch (IllegalArgumentException unreadable) {
                    deadLetters.add(new DeadLetter(
                            segment.messageId(i),
                            position,
                            segment.room().value(),
                            segment.userId(i),
                            String.valueOf(unreadable.getMessage()),
                            entry.header().serverId(),
                            null,
                            segment.json(i)));
                }
            }
        }
        return new EntryRows(rows, deadLetters, mark(entry));
    }

    /** Metadata stamped at intake is authoritative; only names and text come from the JSON. */
    private static MessageRow row(String serverId, Segment segment, int i, long position) {
        byte[] json = segment.json(i);
        ChatMessage message = MessageJson.decode(json);
        MessageType type = segment.type(i);
        return new MessageRow(
                segment.messageId(i),
                segment.room().value(),
                segment.userId(i),
                message.member().username(),
                message.member().displayName(),
                type,
                message.text(),
                segment.timestamp(i),
                position,
                serverId,
                address(segment.clientAddress(i)),
                json);
    }

    private static @Nullable String address(byte[] bytes) {
        if (bytes.length == 0) return null;
        try {
            return InetAddress.getByAddress(bytes).getHostAddress();
        } catch (UnknownHostException wrongLength) {
            throw new IllegalArgumentException("a client address of " + bytes.length + " bytes", wrongLength);
        }
    }

    static Mark mark(LogEntry entry) {
        return mark(
                entry.epoch(),
                entry.offset(),
                entry.header().incarnation(),
                entry.header().sequence());
    }

    static Mark mark(long epoch, long offset, long incarnation, long sequence) {
        return new Mark(
                Position.of(epoch, offset, Position.MESSAGES_PER_ENTRY - 1), epoch, offset, incarnation, sequence);
    }
}

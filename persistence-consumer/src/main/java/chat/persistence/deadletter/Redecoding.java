package chat.persistence.deadletter;

import chat.log.LogEntry;
import chat.log.Position;
import chat.persistence.batch.EntryRows;
import chat.persistence.batch.MessageRow;
import chat.persistence.ingest.EntryDecoder;
import chat.protocol.ChatMessage;
import chat.protocol.MessageJson;
import java.util.List;
import java.util.Objects;

/** Decodes a letter's bytes with the current version of the program. */
final class Redecoding {
    private static final String UNKNOWN = "unknown";

    private Redecoding() {}

    /** @throws IllegalArgumentException where a message still can't be read
     * @throws chat.log.MalformedEntry where an entry still can't be read */
    static EntryRows of(StoredDeadLetter letter) {
        if (letter.messageId() == null) return EntryDecoder.decode(entry(letter));
        ChatMessage message = MessageJson.decode(letter.bytes());
        MessageRow row = new MessageRow(
                letter.messageId(),
                Objects.requireNonNullElse(letter.roomId(), ""),
                message.member().userId(),
                message.member().username(),
                message.member().displayName(),
                message.type(),
                message.text(),
                message.timestamp(),
                letter.position(),
                Objects.requireNonNullElse(letter.serverId(), UNKNOWN),
                letter.clientIp(),
                letter.bytes());
        return new EntryRows(List.of(row), List.of(), null);
    }

    /** Positions depend only on the sum of epoch and offset, so the split is arbitrary. */
    private static LogEntry entry(StoredDeadLetter letter) {
        return LogEntry.parse(letter.bytes(), letter.position() / Position.MESSAGES_PER_ENTRY, 0);
    }
}

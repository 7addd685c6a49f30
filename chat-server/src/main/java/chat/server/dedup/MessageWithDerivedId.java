package chat.server.dedup;

import chat.protocol.ChatMessage;
import chat.protocol.DerivedId;
import chat.protocol.MessageJson;
import chat.protocol.RoomId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message with a derived id, because its sender had used its id for another message in the same room. The consumer
 * derives the same id.
 *
 * @param json the message with the derived id
 */
@SuppressWarnings("ArrayRecordComponent") // bytes on their way to sockets: never compared
public record MessageWithDerivedId(UUID id, String userId, byte[] json) {
    /** Returns null if the JSON is invalid: the consumer cannot store it, either. */
    public static @Nullable MessageWithDerivedId of(RoomId room, byte[] json) {
        try {
            ChatMessage message = MessageJson.decode(json);
            UUID id = DerivedId.of(room, message);
            return new MessageWithDerivedId(id, message.member().userId(), MessageJson.withId(json, id));
        } catch (IllegalArgumentException unreadable) {
            return null;
        }
    }
}

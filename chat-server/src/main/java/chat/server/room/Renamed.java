package chat.server.room;

import chat.protocol.ChatMessage;
import chat.protocol.DerivedId;
import chat.protocol.MessageJson;
import chat.protocol.RoomId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message whose sender had used its id before for another one in the same room, under the derived id. The consumer stores
 * it under the same one.
 *
 * @param json with the derived id
 */
@SuppressWarnings("ArrayRecordComponent") // bytes on their way to sockets: never compared
record Renamed(UUID id, String userId, byte[] json) {
    /** Null where the bytes are no message: the consumer cannot store them, either. */
    static @Nullable Renamed of(RoomId room, byte[] json) {
        try {
            ChatMessage message = MessageJson.decode(json);
            UUID id = DerivedId.of(room, message);
            return new Renamed(id, message.member().userId(), MessageJson.withId(json, id));
        } catch (IllegalArgumentException unreadable) {
            return null;
        }
    }
}

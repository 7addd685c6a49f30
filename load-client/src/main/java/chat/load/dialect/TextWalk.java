package chat.load.dialect;

import chat.load.dialect.FrameReader.Malformed;
import java.time.Instant;
import java.util.UUID;

/**
 * Writes and reads a TEXT for servers that relay payloads unchanged: JSON with the fields of Confab's TEXT, so that
 * byte counts are comparable.
 */
abstract class TextWalk extends JsonWalk {
    private static final byte[] MESSAGE_ID = ascii("messageId");
    private static final byte[] ROOM_ID = ascii("roomId");

    static String json(Identity member, UUID messageId, String text) {
        return "{\"messageId\":\"" + messageId + "\",\"userId\":\"" + member.userId() + "\",\"username\":\""
                + member.username() + "\",\"message\":\"" + text + "\",\"roomId\":\"" + member.roomId()
                + "\",\"timestamp\":\"" + Instant.now() + "\"}";
    }

    /** Reads one such object; an object without an id counts as a TEXT that was never sent. */
    final void text() throws Malformed {
        int before = frame.idCount();
        frame.type = Frame.Type.MESSAGES;
        frame.lastIsText = true;
        expect('{');
        if (!endsWith('}')) {
            do {
                key();
                if (is(MESSAGE_ID)) {
                    if (stringOrOther()) addId();
                } else if (is(ROOM_ID)) {
                    if (stringOrOther()) frame.room(stringStart, stringEnd);
                } else {
                    value(0);
                }
            } while (continues('}'));
        }
        if (frame.idCount() == before) frame.addId(0, 0);
    }
}

package chat.load.dialect;

import chat.load.dialect.FrameReader.Malformed;
import java.time.Instant;
import java.util.UUID;

/** A TEXT for servers that pass on what they are given: JSON with the fields of Confab's own, so that bytes compare. */
abstract class TextWalk extends JsonWalk {
    private static final byte[] MESSAGE_ID = ascii("messageId");
    private static final byte[] ROOM_ID = ascii("roomId");

    static String json(Identity member, UUID messageId, String text) {
        return "{\"messageId\":\"" + messageId + "\",\"userId\":\"" + member.userId() + "\",\"username\":\""
                + member.username() + "\",\"message\":\"" + text + "\",\"roomId\":\"" + member.roomId()
                + "\",\"timestamp\":\"" + Instant.now() + "\"}";
    }

    /** Reads one such object; one without an id counts as a TEXT that nobody sent. */
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

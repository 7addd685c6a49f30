package chat.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.io.JsonStringEncoder;
import tools.jackson.core.json.JsonFactory;

/** A message's JSON: written once at intake, carried unread through the log to every socket. Thread-safe. */
public final class MessageJson {
    private static final JsonFactory JSON = new JsonFactory();

    /** Stands in no JSON string: quotes are escaped there. */
    private static final byte[] ID_BEGINS = ",\"messageId\":\"".getBytes(StandardCharsets.US_ASCII);

    private MessageJson() {}

    /** Begins the last fields; no string can hold these bytes, since its quotes are escaped. */
    private static final byte[] TIMESTAMP = ",\"timestamp\":".getBytes(StandardCharsets.US_ASCII);

    /**
     * Fields in a fixed order; the time of intake, and the display name behind it, are no part of what the message says. The
     * others than ids and what people wrote need no escaping: they were validated.
     */
    public static byte[] encode(ChatMessage message) {
        Member member = message.member();
        byte[] text = quoted(message.text());
        byte[] displayName = quoted(member.displayName());
        Ascii json = new Ascii(208 + text.length + displayName.length);
        json.put("{\"messageType\":\"").put(message.type().name());
        json.put("\",\"messageId\":\"").put(message.messageId().toString());
        json.put("\",\"userId\":\"").put(quoted(member.userId()));
        json.put("\",\"username\":\"").put(member.username());
        if (message.text() != null) json.put("\",\"message\":\"").put(text);
        json.put("\"").put(TIMESTAMP).put(Long.toString(message.timestamp()));
        if (member.displayName() != null)
            json.put(",\"displayName\":\"").put(displayName).put("\"");
        return json.put("}").toByteArray();
    }

    private static byte[] quoted(@Nullable String text) {
        return text == null ? new byte[0] : JsonStringEncoder.getInstance().quoteAsUTF8(text);
    }

    /**
     * Reads what {@link #encode} wrote, for those who need the fields.
     *
     * @throws IllegalArgumentException for anything else
     */
    public static ChatMessage decode(byte[] utf8) {
        String type = null;
        String id = null;
        String userId = null;
        String username = null;
        String displayName = null;
        String text = null;
        long timestamp = -1;
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), utf8)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) throw new IllegalArgumentException("not a JSON object");
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                if (value == null) throw new IllegalArgumentException("the message ends early");
                if (value.isStructStart()) { // no field of ours; what it holds must not be taken for one
                    parser.skipChildren();
                    continue;
                }
                switch (name) {
                    case "messageType" -> type = parser.getString();
                    case "messageId" -> id = parser.getString();
                    case "userId" -> userId = parser.getString();
                    case "username" -> username = parser.getString();
                    case "displayName" -> displayName = parser.getString();
                    case "message" -> text = parser.getString();
                    case "timestamp" -> timestamp = parser.getLongValue();
                    default -> {}
                }
            }
        } catch (JacksonException notJson) {
            throw new IllegalArgumentException("not a message: " + notJson.getOriginalMessage(), notJson);
        }
        if (type == null || id == null || userId == null || username == null || timestamp < 0)
            throw new IllegalArgumentException("a message lacks one of its fields");
        Member member = new Member(userId, username, displayName);
        return new ChatMessage(UUID.fromString(id), member, MessageType.valueOf(type), text, timestamp);
    }

    /** The same message under another id: a copy of what {@link #encode} wrote, or of what has its id in the same place. */
    public static byte[] withId(byte[] utf8, UUID id) {
        byte[] copy = utf8.clone();
        byte[] text = id.toString().getBytes(StandardCharsets.US_ASCII);
        for (int at = 0; at + ID_BEGINS.length + text.length <= copy.length; at++) {
            int behind = at + ID_BEGINS.length;
            if (!Arrays.equals(copy, at, behind, ID_BEGINS, 0, ID_BEGINS.length)) continue;
            System.arraycopy(text, 0, copy, behind, text.length);
            return copy;
        }
        throw new IllegalArgumentException("a message without an id");
    }

    /** A growing buffer of ASCII and prepared UTF-8. */
    private static final class Ascii {
        private byte[] bytes;
        private int length;

        Ascii(int capacity) {
            bytes = new byte[capacity];
        }

        Ascii put(String ascii) {
            return put(ascii.getBytes(StandardCharsets.ISO_8859_1));
        }

        Ascii put(byte[] more) {
            if (length + more.length > bytes.length)
                bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more.length));
            System.arraycopy(more, 0, bytes, length, more.length);
            length += more.length;
            return this;
        }

        byte[] toByteArray() {
            return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
        }
    }
}

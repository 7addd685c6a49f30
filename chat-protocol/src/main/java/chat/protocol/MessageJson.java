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

/** Encodes messages as JSON: once at intake; the log and the connections pass the bytes on unparsed. Thread-safe. */
public final class MessageJson {
    private static final JsonFactory JSON = new JsonFactory();

    /** Precedes the id; cannot occur inside a JSON string, where quotes are escaped. */
    private static final byte[] ID_BEGINS = ",\"messageId\":\"".getBytes(StandardCharsets.US_ASCII);

    private MessageJson() {}

    /** Precedes the last fields; cannot occur inside a JSON string, where quotes are escaped. */
    private static final byte[] TIMESTAMP = ",\"timestamp\":".getBytes(StandardCharsets.US_ASCII);

    /**
     * Encodes the fields in a fixed order. The time of intake and the display name come last, because they are not part
     * of the message's content. Only the user id, the text and the display name need escaping; other fields were
     * validated.
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
     * Decodes the output of {@link #encode}.
     *
     * @throws IllegalArgumentException if it is anything else
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
                if (value.isStructStart()) { // not one of the fields; nested fields must not be taken for them
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
            throw new IllegalArgumentException("the message lacks a required field");
        Member member = new Member(userId, username, displayName);
        return new ChatMessage(UUID.fromString(id), member, MessageType.valueOf(type), text, timestamp);
    }

    /** Returns a copy of a message from {@link #encode} with another id. */
    public static byte[] withId(byte[] utf8, UUID id) {
        byte[] copy = utf8.clone();
        byte[] text = id.toString().getBytes(StandardCharsets.US_ASCII);
        for (int at = 0; at + ID_BEGINS.length + text.length <= copy.length; at++) {
            int behind = at + ID_BEGINS.length;
            if (!Arrays.equals(copy, at, behind, ID_BEGINS, 0, ID_BEGINS.length)) continue;
            System.arraycopy(text, 0, copy, behind, text.length);
            return copy;
        }
        throw new IllegalArgumentException("the message has no id");
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

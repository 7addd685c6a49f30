package chat.protocol;

import chat.protocol.ClientFrame.Since;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/**
 * Decodes client frames strictly: one JSON object or an array of objects, in one pass without a tree. Ignores unknown
 * fields, so that newer clients work. Reports duplicate fields, wrong types and every violation of the rules.
 * Thread-safe.
 */
public final class FrameDecoder {
    private static final int MAX_DEPTH = 8;

    /** Maximum objects in one array, more than fit into a frame with content. Further objects get one common error. */
    private static final int MAX_OBJECTS = 1_000;

    private final FrameRules rules;
    private final JsonFactory json;

    public FrameDecoder(FrameRules rules) {
        this.rules = rules;
        this.json = JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                // Text frames are UTF-8: do not take one with NULs for UTF-16, and do not accept a byte order mark.
                .disable(TokenStreamFactory.Feature.CHARSET_DETECTION)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(MAX_DEPTH)
                        .maxStringLength(rules.maxFrameBytes())
                        .maxDocumentLength(rules.maxFrameBytes())
                        .maxNumberLength(32)
                        .build())
                .build();
    }

    /**
     * @param pathRoom the room of the socket's path, for frames that name none
     * @return one result for each object, in order; where the text is not JSON, a single refusal for all of it
     */
    public List<Decoded> decode(byte[] utf8, @Nullable RoomId pathRoom) {
        return decode(utf8, pathRoom, null);
    }

    /**
     * Decodes the objects of a text frame.
     *
     * @param pathRoom the room of the connection's path, for frames without a room
     * @param speaker the session's user, for frames without one; null: every frame must name its user
     * @return one result for each object, in order; a single error if the text is not JSON
     */
    public List<Decoded> decode(byte[] utf8, @Nullable RoomId pathRoom, @Nullable KnownSender speaker) {
        try (JsonParser parser = json.createParser(ObjectReadContext.empty(), utf8)) {
            List<Decoded> decoded = new ArrayList<>(1);
            JsonToken first = parser.nextToken();
            if (first == JsonToken.START_OBJECT) {
                decoded.add(object(parser, pathRoom, speaker));
            } else if (first == JsonToken.START_ARRAY) {
                JsonToken next;
                while ((next = parser.nextToken()) != JsonToken.END_ARRAY) {
                    if (decoded.size() == MAX_OBJECTS) {
                        decoded.add(refused(
                                pathRoom, "an array may contain at most " + MAX_OBJECTS + " objects: split it"));
                        return decoded;
                    }
                    if (next == JsonToken.START_OBJECT) {
                        decoded.add(object(parser, pathRoom, speaker));
                    } else {
                        parser.skipChildren();
                        decoded.add(refused(pathRoom, "an array must contain only JSON objects"));
                    }
                }
                if (decoded.isEmpty()) return List.of(refused(pathRoom, "the array is empty"));
            } else {
                return List.of(refused(pathRoom, "a frame must be a JSON object or an array of JSON objects"));
            }
            if (parser.nextToken() != null) {
                return List.of(refused(pathRoom, "there is more than one JSON value in the frame"));
            }
            return decoded;
        } catch (JacksonException notJson) {
            return List.of(refused(pathRoom, "not valid JSON: " + oneLine(notJson.getOriginalMessage())));
        }
    }

    /** The user of a session's token: fills in the fields that its frames leave out. */
    public record KnownSender(String userId, String username, String displayName) {}

    private static Decoded refused(@Nullable RoomId room, String error) {
        return new Decoded.Refused(FrameError.invalid(room, null, List.of(error)));
    }

    private static String oneLine(@Nullable String text) {
        if (text == null) return "unreadable";
        String line = text.lines().findFirst().orElse("unreadable");
        // It may quote any characters that the client sent.
        return line.substring(0, Math.min(200, line.length())).replaceAll("\\p{Cc}", "?");
    }

    private Decoded object(JsonParser parser, @Nullable RoomId pathRoom, @Nullable KnownSender speaker) {
        FrameFields fields = new FrameFields();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            fields.read(name, value, parser);
        }
        return validate(fields, pathRoom, speaker);
    }

    /** The values of {@code messageType}. */
    private enum Kind {
        JOIN,
        TEXT,
        LEAVE,
        MEMBERS,
        TOKEN
    }

    private Decoded validate(FrameFields fields, @Nullable RoomId pathRoom, @Nullable KnownSender speaker) {
        List<String> faults = fields.faults;
        Kind type = type(fields);
        if (type == Kind.TOKEN) return token(fields);
        RoomId room = room(fields, pathRoom);
        String userId = userId(fields, speaker);
        String username = username(fields, userId, speaker);
        String displayName = displayName(fields, speaker);
        timestamp(fields, type != Kind.MEMBERS);
        UUID messageId = messageId(fields);
        String message = type == Kind.TEXT ? message(fields) : "";
        Since since = type == Kind.JOIN ? since(fields) : new Since.Now();
        String after = type == Kind.MEMBERS ? after(fields, speaker) : null;
        int limit = type == Kind.MEMBERS ? limit(fields) : 0;

        if (!faults.isEmpty() || type == null || room == null || userId == null || username == null)
            return new Decoded.Refused(FrameError.invalid(room == null ? pathRoom : room, messageId, faults));
        Member member = new Member(userId, username, displayName);
        return new Decoded.Valid(
                switch (type) {
                    case JOIN -> new ClientFrame.Join(room, member, messageId, since, fields.stored);
                    case TEXT -> new ClientFrame.Text(room, member, messageId, message);
                    case LEAVE -> new ClientFrame.Leave(room, member, messageId);
                    case MEMBERS -> new ClientFrame.Members(room, member, messageId, after, limit);
                    case TOKEN -> throw new IllegalStateException("a TOKEN frame has no room");
                });
    }

    private static Decoded token(FrameFields fields) {
        String token = fields.required(fields.token, "token");
        return token == null || !fields.faults.isEmpty()
                ? new Decoded.Refused(FrameError.invalid(null, null, fields.faults))
                : new Decoded.Valid(new ClientFrame.Token(token));
    }

    private static @Nullable Kind type(FrameFields fields) {
        String value = fields.required(fields.messageType, "messageType");
        if (value == null) return null;
        return switch (value) {
            case "TEXT" -> Kind.TEXT;
            case "JOIN" -> Kind.JOIN;
            case "LEAVE" -> Kind.LEAVE;
            case "MEMBERS" -> Kind.MEMBERS;
            case "TOKEN" -> Kind.TOKEN;
            default -> {
                fields.faults.add("messageType must be TEXT, JOIN, LEAVE, MEMBERS or TOKEN");
                yield null;
            }
        };
    }

    private static @Nullable RoomId room(FrameFields fields, @Nullable RoomId pathRoom) {
        String value = fields.roomId;
        if (value == null) return pathRoom;
        if (pathRoom != null && value.equals(pathRoom.value())) return pathRoom;
        if (RoomId.isValid(value)) return new RoomId(value);
        fields.faults.add(RoomId.RULE);
        return null;
    }

    private @Nullable String userId(FrameFields fields, @Nullable KnownSender speaker) {
        if (speaker != null && fields.userId == null) return speaker.userId();
        String value = fields.required(fields.userId, "userId");
        if (value == null || isUserId(value, speaker)) return value;
        fields.faults.add("userId must be " + userIdRule(speaker));
        return null;
    }

    /** With a token, any user id is valid; without one, the server's contract decides. */
    private boolean isUserId(String value, @Nullable KnownSender speaker) {
        return mustBeNumber(speaker) ? isNumber(value) : Member.isUserId(value);
    }

    private String userIdRule(@Nullable KnownSender speaker) {
        return mustBeNumber(speaker) ? "\"1\" to \"" + rules.maxUserId() + "\"" : Member.USER_ID_RULE;
    }

    private boolean mustBeNumber(@Nullable KnownSender speaker) {
        return speaker == null && rules.userIds() == Contract.UserIds.NUMBERS;
    }

    private boolean isNumber(String value) {
        int number = 0;
        boolean canonical = !value.isEmpty() && value.length() <= 9 && value.charAt(0) != '0';
        for (int i = 0; canonical && i < value.length(); i++) {
            char c = value.charAt(i);
            canonical = c >= '0' && c <= '9';
            number = number * 10 + (c - '0');
        }
        return canonical && number <= rules.maxUserId();
    }

    private @Nullable String username(FrameFields fields, @Nullable String userId, @Nullable KnownSender speaker) {
        if (fields.username == null) {
            if (speaker != null) return speaker.username();
            if (rules.usernames() == Contract.Usernames.DERIVED && !fields.isUnusable("username"))
                return userId == null ? null : Member.derivedUsername(userId);
        }
        String value = fields.required(fields.username, "username");
        if (value == null || Member.isUsername(value)) return value;
        fields.faults.add("username must be " + Member.USERNAME_RULE);
        return null;
    }

    private static @Nullable String displayName(FrameFields fields, @Nullable KnownSender speaker) {
        String value = fields.displayName;
        if (value == null) return speaker == null ? null : speaker.displayName();
        String fault = DisplayName.faultOf(value);
        if (fault != null) fields.faults.add("displayName " + fault);
        return value;
    }

    private static void timestamp(FrameFields fields, boolean required) {
        String value = required ? fields.required(fields.timestamp, "timestamp") : fields.timestamp;
        if (value != null && !Timestamps.isIso8601(value))
            fields.faults.add("timestamp must be ISO-8601 with an offset, such as 2026-11-20T10:00:00Z");
    }

    private static @Nullable UUID messageId(FrameFields fields) {
        String value = fields.messageId;
        if (value == null) return null;
        UUID id = isUuid(value) ? UUID.fromString(value) : null;
        if (id != null && !DerivedId.isReserved(id)) return id;
        fields.faults.add("messageId must be a UUID of 36 characters, of any version but 8; version 7 is recommended");
        return null;
    }

    /**
     * The JDK's parser also accepts groups of other lengths, signs and digits of other scripts: several texts of one
     * id.
     */
    private static boolean isUuid(String value) {
        if (value.length() != 36) return false;
        for (int i = 0; i < 36; i++) {
            char c = value.charAt(i);
            boolean hyphen = i == 8 || i == 13 || i == 18 || i == 23;
            boolean hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
            if (hyphen ? c != '-' : !hex) return false;
        }
        return true;
    }

    private String message(FrameFields fields) {
        String value = fields.required(fields.message, "message");
        if (value == null) return "";
        int length = value.codePointCount(0, value.length());
        if (length < 1 || length > rules.maxMessageLength())
            fields.faults.add("message must be 1 to " + rules.maxMessageLength() + " characters");
        else if (holdsControls(value))
            fields.faults.add("message must not contain control characters other than \\n and \\t");
        else if (VisibleText.isBlank(value)) fields.faults.add("message must contain at least one visible character");
        if (VisibleText.hasUnpairedSurrogate(value))
            fields.faults.add("message must not contain an unpaired surrogate");
        return value;
    }

    private static boolean holdsControls(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x20 && c != '\n' && c != '\t') return true;
        }
        return false;
    }

    private Since since(FrameFields fields) {
        String resume = fields.resume;
        String history = fields.history;
        if (resume != null && history != null) {
            fields.faults.add("resume and history cannot be combined: give one of them");
        } else if (resume != null) {
            if (isDecimal(resume, 19)) {
                try {
                    return new Since.Resume(Long.parseLong(resume));
                } catch (NumberFormatException tooLarge) {
                    // reported below
                }
            }
            fields.faults.add("resume must be a position as a decimal string, as the server sent it");
        } else if (history != null) {
            if (isDecimal(history, 6) && Integer.parseInt(history) <= rules.maxHistory())
                return new Since.History(Integer.parseInt(history));
            fields.faults.add("history must be a number from 0 to " + rules.maxHistory());
        }
        return new Since.Now();
    }

    private @Nullable String after(FrameFields fields, @Nullable KnownSender speaker) {
        String value = fields.after;
        if (value == null || isUserId(value, speaker)) return value;
        fields.faults.add("after must be a userId, " + userIdRule(speaker));
        return null;
    }

    private static int limit(FrameFields fields) {
        String value = fields.limit;
        if (value == null) return ClientFrame.Members.DEFAULT_LIMIT;
        int limit = isDecimal(value, 6) ? Integer.parseInt(value) : 0;
        if (limit < 1 || limit > ClientFrame.Members.MAX_LIMIT)
            fields.faults.add("limit must be a number from 1 to " + ClientFrame.Members.MAX_LIMIT);
        return limit;
    }

    private static boolean isDecimal(String value, int maxDigits) {
        if (value.isEmpty() || value.length() > maxDigits) return false;
        for (int i = 0; i < value.length(); i++) {
            if (value.charAt(i) < '0' || value.charAt(i) > '9') return false;
        }
        return true;
    }
}

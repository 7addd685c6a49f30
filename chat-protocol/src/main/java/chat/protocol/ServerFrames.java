package chat.protocol;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.io.JsonStringEncoder;

/** Encodes the frames of a server as UTF-8 JSON, each an object with a {@code type}. Thread-safe. */
public final class ServerFrames {
    /** Closes the frame that {@link #messagesHead} opens; between them are the messages, separated by commas. */
    public static final byte[] MESSAGES_TAIL = utf8("]}");

    private ServerFrames() {}

    /**
     * @param member the member as which the session has joined
     * @param position all messages of the room after it follow, once, in order
     * @param members distinct users in the room, on all servers
     */
    public static byte[] welcome(
            RoomId room,
            Member member,
            String serverId,
            long position,
            int members,
            long pingIntervalMs,
            FrameRules rules) {
        return welcome(room, member, serverId, position, members, pingIntervalMs, rules, null, 0);
    }

    /**
     * @param member the member as which the session has joined
     * @param position all messages of the room after it follow, once, in order
     * @param members distinct users in the room, on all servers
     * @param rate rate limit of this session; null: none
     * @param tokenExpiresAt expiry of the session's token, milliseconds since 1970; 0: it has no token
     */
    public static byte[] welcome(
            RoomId room,
            Member member,
            String serverId,
            long position,
            int members,
            long pingIntervalMs,
            FrameRules rules,
            @Nullable SendRate rate,
            long tokenExpiresAt) {
        StringBuilder json = new StringBuilder(512)
                .append("{\"type\":\"WELCOME\",\"roomId\":\"")
                .append(room)
                .append("\",\"you\":");
        append(json, member);
        return utf8(json.append(",\"serverId\":" + quoted(serverId) + ",\"position\":\"" + position + "\",\"members\":"
                        + members + ",\"pingIntervalMs\":" + pingIntervalMs
                        + (tokenExpiresAt == 0 ? "" : ",\"expiresAt\":" + tokenExpiresAt) + ",\"limits\":{"
                        + limits(rules) + (rate == null ? "" : limits(rate)) + "}}")
                .toString());
    }

    private static String limits(FrameRules rules) {
        String highest = rules.userIds() == Contract.UserIds.NUMBERS ? ",\"maxUserId\":" + rules.maxUserId() : "";
        return "\"maxFrameBytes\":" + rules.maxFrameBytes() + ",\"maxMessageLength\":" + rules.maxMessageLength()
                + ",\"userIds\":\"" + word(rules.userIds()) + "\"" + highest + ",\"usernames\":\""
                + word(rules.usernames()) + "\",\"maxHistory\":" + rules.maxHistory();
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static String limits(SendRate rate) {
        return ",\"messagesPerSecond\":" + rate.perSecondText() + ",\"burst\":" + rate.burst();
    }

    /** @param expiresAt expiry of the session's new token, milliseconds since 1970 */
    public static byte[] token(long expiresAt) {
        return utf8("{\"type\":\"TOKEN\",\"expiresAt\":" + expiresAt + "}");
    }

    /** @param position position of the last message that follows */
    public static byte[] messagesHead(RoomId room, long position) {
        return utf8(
                "{\"type\":\"MESSAGES\",\"roomId\":\"" + room + "\",\"position\":\"" + position + "\",\"messages\":[");
    }

    /**
     * @param position position of the last acknowledged message
     * @param timestamp the server's clock at its intake, milliseconds since 1970
     */
    public static byte[] ack(RoomId room, long position, long timestamp, List<UUID> messageIds) {
        StringBuilder json = new StringBuilder(128 + 39 * messageIds.size())
                .append("{\"type\":\"ACK\",\"status\":\"accepted\",\"roomId\":\"")
                .append(room)
                .append("\",\"position\":\"")
                .append(position)
                .append("\",\"timestamp\":")
                .append(timestamp)
                .append(",\"messageIds\":[");
        for (int i = 0; i < messageIds.size(); i++) {
            if (i > 0) json.append(',');
            json.append('"').append(messageIds.get(i)).append('"');
        }
        return utf8(json.append("]}").toString());
    }

    public static byte[] error(FrameError error) {
        StringBuilder json = new StringBuilder(256)
                .append("{\"type\":\"ERROR\",\"code\":\"")
                .append(error.code().name())
                .append("\",\"number\":")
                .append(error.code().number())
                .append(",\"roomId\":")
                .append(error.room() == null ? "null" : "\"" + error.room() + "\"")
                .append(",\"messageId\":")
                .append(quoted(error.messageId()))
                .append(",\"errors\":[");
        for (int i = 0; i < error.errors().size(); i++) {
            if (i > 0) json.append(',');
            json.append(quoted(error.errors().get(i)));
        }
        return utf8(json.append("],\"retryable\":")
                .append(error.code().retryable())
                .append(",\"retryAfterMs\":")
                .append(error.retryAfterMs())
                .append('}')
                .toString());
    }

    /** Returns a GAP: the server could not recover possible messages after {@code from} and up to {@code to}. */
    public static byte[] gap(RoomId room, long from, long to) {
        return utf8("{\"type\":\"GAP\",\"roomId\":\"" + room + "\",\"from\":\"" + from + "\",\"to\":\"" + to + "\"}");
    }

    /**
     * Returns a STORED frame: all messages of the room up to {@code position} are stored, except {@code notStored}.
     *
     * @param notStored ids of the member's own messages; if empty, the frame omits the field
     */
    public static byte[] stored(RoomId room, long position, List<UUID> notStored) {
        StringBuilder json = new StringBuilder(96 + 39 * notStored.size())
                .append("{\"type\":\"STORED\",\"roomId\":\"")
                .append(room)
                .append("\",\"position\":\"")
                .append(position)
                .append('"');
        for (int i = 0; i < notStored.size(); i++)
            json.append(i == 0 ? ",\"notStored\":[\"" : "\",\"").append(notStored.get(i));
        return utf8(json.append(notStored.isEmpty() ? "}" : "\"]}").toString());
    }

    /**
     * Returns the number of members of the room, and those who joined or left without a message about it.
     *
     * @param members distinct users
     * @param more whether there are more names than the frame lists
     */
    public static byte[] members(RoomId room, int members, List<Member> joined, List<Member> left, boolean more) {
        StringBuilder json = membersHead(room, members, joined.size() + left.size());
        append(json.append(",\"joined\":"), joined);
        append(json.append(",\"left\":"), left);
        return utf8(json.append(",\"more\":").append(more).append('}').toString());
    }

    /**
     * Returns a page of the members of a room.
     *
     * @param next the userId after which the next page starts, or null on the last page
     */
    public static byte[] roster(RoomId room, int members, List<Member> roster, @Nullable String next) {
        StringBuilder json = membersHead(room, members, roster.size());
        append(json.append(",\"roster\":"), roster);
        return utf8(json.append(",\"next\":")
                .append(next == null ? "null" : quoted(next))
                .append('}')
                .toString());
    }

    private static StringBuilder membersHead(RoomId room, int members, int names) {
        return new StringBuilder(160 + 64 * names)
                .append("{\"type\":\"MEMBERS\",\"roomId\":\"")
                .append(room)
                .append("\",\"members\":")
                .append(members);
    }

    private static void append(StringBuilder json, List<Member> members) {
        json.append('[');
        for (int i = 0; i < members.size(); i++) {
            if (i > 0) json.append(',');
            append(json, members.get(i));
        }
        json.append(']');
    }

    private static void append(StringBuilder json, Member member) {
        json.append("{\"userId\":").append(quoted(member.userId()));
        json.append(",\"username\":").append(quoted(member.username()));
        if (member.displayName() != null) json.append(",\"displayName\":").append(quoted(member.displayName()));
        json.append('}');
    }

    private static String quoted(String text) {
        StringBuilder json = new StringBuilder(text.length() + 16).append('"');
        JsonStringEncoder.getInstance().quoteAsString(text, json);
        return json.append('"').toString();
    }

    private static String quoted(@Nullable UUID id) {
        return id == null ? "null" : "\"" + id + "\"";
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

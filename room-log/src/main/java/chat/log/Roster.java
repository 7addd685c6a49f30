package chat.log;

import chat.protocol.RoomId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The members of a partition's rooms on one incarnation of a server: the body of a ROSTER. A roster that does not fit
 * into one entry is split into parts, which its writer publishes one after the other; a room may continue in the next
 * part.
 *
 * @param incarnation the incarnation of the server whose members these are. If it is not the writer's own, that server has
 *     timed out and the roster is empty
 * @param through sequence of that incarnation's last entry with messages that this roster includes, 0 for none; entries
 *     with a higher sequence are applied on top, wherever they are in the log
 * @param asks whether the writer asks all servers for their rosters
 * @param part number of this part, from 0
 */
public record Roster(long incarnation, long through, boolean asks, int part, int parts, List<Room> rooms) {
    private static final int FIXED_BYTES = 8 + 8 + 1 + 2 + 2;
    private static final int MAX_PARTS = 0xffff;
    private static final int ASKS = 1;
    private static final int NAMED = 2;

    /**
     * The members of one room.
     *
     * @param attendees at least one
     */
    public record Room(RoomId id, List<Attendee> attendees) {
        public Room {
            if (attendees.isEmpty()) throw new IllegalArgumentException("a room needs at least one member");
        }
    }

    /**
     * One user in one room.
     *
     * @param userId 1 to 255 ASCII characters
     * @param username the same
     * @param displayName null if there is none, else 1 to 1,024 bytes of UTF-8
     * @param sessions number of the user's sessions in the room, 1 to 65,535
     */
    public record Attendee(
            String userId, String username, @Nullable String displayName, int sessions) {
        public static final int MAX_SESSIONS = 0xffff;
        private static final int MAX_NAME_BYTES = 1024;

        public Attendee(String userId, String username, int sessions) {
            this(userId, username, null, sessions);
        }

        public Attendee {
            checkText(userId);
            checkText(username);
            if (displayName != null && (displayName.isEmpty() || utf8(displayName).length > MAX_NAME_BYTES))
                throw new IllegalArgumentException("displayName must be 1 to " + MAX_NAME_BYTES + " bytes of UTF-8");
            if (sessions < 1 || sessions > MAX_SESSIONS)
                throw new IllegalArgumentException("sessions must be 1 to " + MAX_SESSIONS);
        }

        private static void checkText(String text) {
            if (text.isEmpty() || text.length() > 255 || !text.chars().allMatch(c -> c >= ' ' && c <= '~'))
                throw new IllegalArgumentException("userId and username must be 1 to 255 ASCII characters");
        }

        private int length(boolean named) {
            int length = 1 + userId.length() + 1 + username.length() + 2;
            return named ? length + 2 + utf8(displayName).length : length;
        }
    }

    private static byte[] utf8(@Nullable String text) {
        return text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
    }

    /** Whether a display name follows each attendee; a roster in which no attendee has one omits all of them. */
    private static boolean areNamed(List<Room> rooms) {
        for (Room room : rooms) for (Attendee one : room.attendees()) if (one.displayName() != null) return true;
        return false;
    }

    public Roster {
        if (through < 0) throw new IllegalArgumentException("through must not be negative: " + through);
        if (parts < 1 || parts > MAX_PARTS || part < 0 || part >= parts)
            throw new IllegalArgumentException("invalid part " + part + " of " + parts);
        rooms = List.copyOf(rooms);
    }

    /**
     * Splits a roster into the parts that it needs, at least one.
     *
     * @param maxBytes size limit of each entry, header included
     */
    public static List<Roster> of(long incarnation, long through, boolean asks, List<Room> rooms, int maxBytes) {
        List<List<Room>> parts = new ArrayList<>();
        List<Room> part = new ArrayList<>();
        boolean named = areNamed(rooms);
        int available = maxBytes - EntryHeader.MAX_BYTES - FIXED_BYTES;
        int left = available;
        for (Room room : rooms) {
            int name = 1 + room.id().value().length() + 2;
            List<Attendee> here = new ArrayList<>();
            left -= name;
            for (Attendee attendee : room.attendees()) {
                if (attendee.length(named) > left || here.size() == 0xffff) {
                    if (!here.isEmpty()) part.add(new Room(room.id(), List.copyOf(here)));
                    here.clear();
                    parts.add(part);
                    part = new ArrayList<>();
                    left = available - name;
                }
                here.add(attendee);
                left -= attendee.length(named);
            }
            part.add(new Room(room.id(), List.copyOf(here)));
        }
        parts.add(part);
        List<Roster> rosters = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++)
            rosters.add(new Roster(incarnation, through, asks, i, parts.size(), parts.get(i)));
        return rosters;
    }

    byte[] encode(EntryHeader header) {
        boolean named = areNamed(rooms);
        int bytes = header.length() + FIXED_BYTES;
        for (Room room : rooms) {
            bytes += 1 + room.id().value().length() + 2;
            for (Attendee attendee : room.attendees()) bytes += attendee.length(named);
        }
        ByteBuffer to = ByteBuffer.allocate(bytes);
        header.write(to);
        to.putLong(incarnation)
                .putLong(through)
                .put((byte) ((asks ? ASKS : 0) | (named ? NAMED : 0)))
                .putShort((short) part)
                .putShort((short) parts);
        for (Room room : rooms) {
            putText(to, room.id().value());
            to.putShort((short) room.attendees().size());
            for (Attendee attendee : room.attendees()) {
                putText(to, attendee.userId());
                putText(to, attendee.username());
                to.putShort((short) attendee.sessions());
                if (named) putName(to, attendee.displayName());
            }
        }
        return to.array();
    }

    private static void putText(ByteBuffer to, String ascii) {
        to.put((byte) ascii.length()).put(ascii.getBytes(StandardCharsets.US_ASCII));
    }

    private static void putName(ByteBuffer to, @Nullable String displayName) {
        byte[] utf8 = utf8(displayName);
        to.putShort((short) utf8.length).put(utf8);
    }

    /** Reads all remaining bytes. */
    static Roster read(ByteBuffer from) {
        long incarnation = from.getLong();
        long through = from.getLong();
        byte flags = from.get();
        if ((flags & ~(ASKS | NAMED)) != 0) throw new MalformedEntry("unknown flags in a roster: " + flags);
        boolean named = (flags & NAMED) != 0;
        int part = from.getShort() & 0xffff;
        int parts = from.getShort() & 0xffff;
        List<Room> rooms = new ArrayList<>();
        while (from.hasRemaining()) {
            RoomId id = new RoomId(text(from));
            int size = from.getShort() & 0xffff;
            List<Attendee> attendees = new ArrayList<>(Math.min(size, from.remaining() / 6));
            for (int i = 0; i < size; i++) {
                String userId = text(from);
                String username = text(from);
                int sessions = from.getShort() & 0xffff;
                attendees.add(new Attendee(userId, username, named ? name(from) : null, sessions));
            }
            rooms.add(new Room(id, attendees));
        }
        return new Roster(incarnation, through, (flags & ASKS) != 0, part, parts, rooms);
    }

    private static String text(ByteBuffer from) {
        byte[] ascii = new byte[from.get() & 0xff];
        from.get(ascii);
        // Other bytes decode to a replacement character, which ids and names reject.
        return new String(ascii, StandardCharsets.US_ASCII);
    }

    private static @Nullable String name(ByteBuffer from) {
        int length = from.getShort() & 0xffff;
        if (length > from.remaining()) throw new MalformedEntry("the roster ends within a name");
        byte[] utf8 = new byte[length];
        from.get(utf8);
        return length == 0 ? null : new String(utf8, StandardCharsets.UTF_8);
    }
}

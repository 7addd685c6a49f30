package chat.server.room;

/** One message of a room, with the JSON that clients receive. */
public record RecentMessage(long position, byte[] json) {}

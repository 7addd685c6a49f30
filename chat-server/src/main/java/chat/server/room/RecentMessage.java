package chat.server.room;

/** One message of a room, as sockets get it. */
public record RecentMessage(long position, byte[] json) {}

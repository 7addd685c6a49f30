package chat.server.room;

/** One message of a room, as sockets get it. */
public record Recent(long position, byte[] json) {}

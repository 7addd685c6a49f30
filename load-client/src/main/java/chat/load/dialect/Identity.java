package chat.load.dialect;

/** Identifies a sender in a room; all values are ASCII that needs no escapes in JSON. */
public record Identity(String roomId, String userId, String username) {}

package chat.load.dialect;

/** Who speaks in which room; all of it ASCII that needs no escapes in JSON. */
public record Identity(String roomId, String userId, String username) {}

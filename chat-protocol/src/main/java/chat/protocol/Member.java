package chat.protocol;

/**
 * Who speaks in a room.
 *
 * @param userId decimal, "1" to "100000" unless the server allows more
 * @param username 3 to 20 characters of {@code A-Z a-z 0-9}
 */
public record Member(String userId, String username) {}

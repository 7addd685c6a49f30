package chat.protocol;

/**
 * Who speaks in a room.
 *
 * @param userId decimal, "1" to "100000" unless the server allows more; where tokens say who somebody is, as {@link #isUserId}
 *     wants it
 * @param username 3 to 20 characters of {@code A-Z a-z 0-9}
 */
public record Member(String userId, String username) {
    public static final String USER_ID_RULE = "1 to 64 characters of A-Z a-z 0-9 . _ @ | : -";
    public static final String USERNAME_RULE = "3 to 20 characters of A-Z a-z 0-9";
    private static final int MAX_USER_ID = 64;

    /** The ids that user bases have: numbers, UUIDs, addresses, {@code provider|id}. None needs escaping in JSON. */
    public static boolean isUserId(String value) {
        if (value.isEmpty() || value.length() > MAX_USER_ID) return false;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (!isLetterOrDigit(c) && "._@|:-".indexOf(c) < 0) return false;
        }
        return true;
    }

    public static boolean isUsername(String value) {
        if (value.length() < 3 || value.length() > 20) return false;
        for (int i = 0; i < value.length(); i++) if (!isLetterOrDigit(value.charAt(i))) return false;
        return true;
    }

    private static boolean isLetterOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
}

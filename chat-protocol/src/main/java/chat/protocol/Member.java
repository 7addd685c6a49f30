package chat.protocol;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * Who speaks in a room.
 *
 * @param userId decimal, "1" to "100000" unless the server allows more; where tokens say who somebody is, or the server takes
 *     any id, as {@link #isUserId} wants it
 * @param username 3 to 20 characters of {@code A-Z a-z 0-9}
 * @param displayName what people see, see {@link DisplayName}; null: they see the username, also where both are the same
 */
public record Member(
        String userId, String username, @Nullable String displayName) {
    public static final int MAX_USER_ID = 128;
    public static final String USER_ID_RULE =
            "1 to " + MAX_USER_ID + " printable ASCII characters, not beginning or ending with a space";
    public static final String USERNAME_RULE = "3 to 20 characters of A-Z a-z 0-9";

    private static final String BASE_32 = "abcdefghijklmnopqrstuvwxyz234567";
    /** Of a derived username: 60 bits, so that a million users have no two alike, with odds of 2 million to one. */
    private static final int DERIVED_DIGITS = 12;

    public Member {
        if (username.equals(displayName)) displayName = null;
    }

    /** One whom people see by the username. */
    public Member(String userId, String username) {
        this(userId, username, null);
    }

    /** The ids that user bases have: numbers, UUIDs, addresses, {@code provider|id}. */
    public static boolean isUserId(String value) {
        int length = value.length();
        if (length < 1 || length > MAX_USER_ID || value.charAt(0) == ' ' || value.charAt(length - 1) == ' ')
            return false;
        for (int i = 0; i < length; i++) if (value.charAt(i) < ' ' || value.charAt(i) > '~') return false;
        return true;
    }

    public static boolean isUsername(String value) {
        if (value.length() < 3 || value.length() > 20) return false;
        for (int i = 0; i < value.length(); i++) if (!isLetterOrDigit(value.charAt(i))) return false;
        return true;
    }

    /** The username of a user who has none: always the same for one id, and another one for another id. */
    public static String derivedUsername(String userId) {
        byte[] hash = sha256(userId);
        long bits = 0;
        for (int i = 0; i < Long.BYTES; i++) bits = bits << Byte.SIZE | (hash[i] & 0xff);
        StringBuilder name = new StringBuilder(1 + DERIVED_DIGITS).append('u');
        for (int i = 0; i < DERIVED_DIGITS; i++, bits <<= 5) name.append(BASE_32.charAt((int) (bits >>> 59)));
        return name.toString();
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    /** Whether a frame may say that it is from here: what it leaves out of the display name is taken as said. */
    public boolean isNamedBy(Member frame) {
        return userId.equals(frame.userId)
                && username.equals(frame.username)
                && (frame.displayName == null || frame.displayName.equals(displayName));
    }

    private static boolean isLetterOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
}

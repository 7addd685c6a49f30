package chat.protocol;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * Identifies a user in a room.
 *
 * @param userId decimal, "1" to "100000" unless the server allows more; with tokens, or if the server accepts any id, a
 *     text that satisfies {@link #isUserId}
 * @param username 3 to 20 characters of {@code A-Z a-z 0-9}
 * @param displayName the name to show, see {@link DisplayName}; null if it is the username
 */
public record Member(
        String userId, String username, @Nullable String displayName) {
    public static final int MAX_USER_ID = 128;
    public static final String USER_ID_RULE =
            "1 to " + MAX_USER_ID + " printable ASCII characters, not beginning or ending with a space";
    public static final String USERNAME_RULE = "3 to 20 characters of A-Z a-z 0-9";

    private static final String BASE_32 = "abcdefghijklmnopqrstuvwxyz234567";
    /** Digits of a derived username: 60 bits, so that a million users have a collision with odds of 1 to 2 million. */
    private static final int DERIVED_DIGITS = 12;

    public Member {
        if (username.equals(displayName)) displayName = null;
    }

    /** Creates a member whose display name is the username. */
    public Member(String userId, String username) {
        this(userId, username, null);
    }

    /** Returns whether the text is a valid user id, such as a number, UUID, e-mail address or {@code provider|id}. */
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

    /** Returns the username for a user without one: the same for the same id, practically unique for different ids. */
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

    /** Returns whether a frame's member is this one; a frame may omit the display name. */
    public boolean isNamedBy(Member frame) {
        return userId.equals(frame.userId)
                && username.equals(frame.username)
                && (frame.displayName == null || frame.displayName.equals(displayName));
    }

    private static boolean isLetterOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
}

package chat.protocol;

import chat.protocol.Contract.UserIds;
import chat.protocol.Contract.Usernames;

/**
 * Defines which frames a server accepts; WELCOME announces them.
 *
 * @param maxFrameBytes maximum size of one text frame, including all fragments
 * @param maxMessageLength maximum length of one TEXT, in code points, at most {@link #LONGEST_TEXT}
 * @param userIds form of user ids in sessions without a token
 * @param maxUserId the highest user id, if user ids are numbers
 * @param usernames whether frames need a username in sessions without a token
 * @param maxHistory maximum number of messages that one JOIN may request, at most {@link #LONGEST_HISTORY}
 */
public record FrameRules(
        int maxFrameBytes, int maxMessageLength, UserIds userIds, int maxUserId, Usernames usernames, int maxHistory) {
    /** Maximum length in code points that the table {@code messages} stores. */
    public static final int LONGEST_TEXT = 4_000;

    /** Messages in one page of history that a server requests from the consumer. */
    public static final int LONGEST_HISTORY = 500;

    /** Bytes of the longest user id, escaped in JSON. */
    private static final int USER_ID_BYTES = 2 * Member.MAX_USER_ID;

    /** Most bytes of a code point in JSON: two escaped surrogates. */
    private static final int ESCAPED_BYTES = 12;

    /** Bytes for everything in a frame besides names and text. */
    private static final int FIXED_BYTES = 512;

    public static final FrameRules DEFAULT = of(Contract.FIRST);

    public FrameRules {
        if (maxMessageLength < 1 || maxMessageLength > LONGEST_TEXT)
            throw new IllegalArgumentException("max-message-length is " + maxMessageLength + ": it must be 1 to "
                    + LONGEST_TEXT + ", the longest text that the table messages takes");
        int least = leastFrameBytes(maxMessageLength);
        if (maxFrameBytes < least || maxFrameBytes > 1 << 20)
            throw new IllegalArgumentException("max-frame-bytes is " + maxFrameBytes + ": it must be " + least
                    + " (the most that a text of " + maxMessageLength + " characters can need) to 1048576");
        if (maxUserId < 1 || maxUserId > 999_999_999)
            throw new IllegalArgumentException("max-user-id is " + maxUserId + ": it must be 1 to 999999999");
        if (maxHistory < 0 || maxHistory > LONGEST_HISTORY)
            throw new IllegalArgumentException("max-history is " + maxHistory + ": it must be 0 to " + LONGEST_HISTORY);
    }

    /** Returns the default rules of a contract. */
    public static FrameRules of(Contract contract) {
        return new FrameRules(
                65_536, contract.maxMessageLength(), contract.userIds(), 100_000, contract.usernames(), 500);
    }

    /** Returns the bytes of a frame with the longest text and every character escaped. */
    private static int leastFrameBytes(int maxMessageLength) {
        return FIXED_BYTES + USER_ID_BYTES + ESCAPED_BYTES * (DisplayName.MAX_LENGTH + maxMessageLength);
    }

    /** Returns the bytes of the longest message in JSON that escapes only where required. */
    public static int longestMessageBytes() {
        return FIXED_BYTES + USER_ID_BYTES + 4 * (DisplayName.MAX_LENGTH + LONGEST_TEXT);
    }
}

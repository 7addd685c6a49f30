package chat.protocol;

import chat.protocol.Contract.UserIds;
import chat.protocol.Contract.Usernames;

/**
 * What a server accepts from a client; announced in WELCOME.
 *
 * @param maxFrameBytes of one text frame, all fragments together
 * @param maxMessageLength of one TEXT, in code points; {@link #LONGEST_TEXT} at most
 * @param userIds what a user id is, where no token gives it
 * @param maxUserId the highest user id, where those are numbers
 * @param usernames whether the name of the first contract may be left out, where no token gives it
 * @param maxHistory messages that one JOIN may ask for, at most {@link #LONGEST_HISTORY}
 */
public record FrameRules(
        int maxFrameBytes, int maxMessageLength, UserIds userIds, int maxUserId, Usernames usernames, int maxHistory) {
    /** In code points: what the table {@code messages} takes. */
    public static final int LONGEST_TEXT = 4_000;

    /** Messages of one page of the history that a server asks the consumer for. */
    public static final int LONGEST_HISTORY = 500;

    /** Bytes of the longest user id, escaped in JSON. */
    private static final int USER_ID_BYTES = 2 * Member.MAX_USER_ID;

    /** Of a code point as JSON can write it: a pair of escaped surrogates. */
    private static final int ESCAPED_BYTES = 12;

    /** For everything in a frame besides names and text. */
    private static final int FIXED_BYTES = 512;

    public static final FrameRules DEFAULT = of(Contract.FIRST);

    public FrameRules {
        if (maxMessageLength < 1 || maxMessageLength > LONGEST_TEXT)
            throw new IllegalArgumentException("max-message-length is " + maxMessageLength + ": it must be 1 to "
                    + LONGEST_TEXT + ", the longest text that the table messages takes");
        int least = leastFrameBytes(maxMessageLength);
        if (maxFrameBytes < least || maxFrameBytes > 1 << 20)
            throw new IllegalArgumentException("max-frame-bytes is " + maxFrameBytes + ": it must be " + least
                    + ", which a text of " + maxMessageLength + " characters can need, to 1048576");
        if (maxUserId < 1 || maxUserId > 999_999_999)
            throw new IllegalArgumentException("max-user-id is " + maxUserId + ": it must be 1 to 999999999");
        if (maxHistory < 0 || maxHistory > LONGEST_HISTORY)
            throw new IllegalArgumentException("max-history is " + maxHistory + ": it must be 0 to " + LONGEST_HISTORY);
    }

    /** The defaults of a contract. */
    public static FrameRules of(Contract contract) {
        return new FrameRules(
                65_536, contract.maxMessageLength(), contract.userIds(), 100_000, contract.usernames(), 500);
    }

    /** A frame of the longest text, everything in it escaped. */
    private static int leastFrameBytes(int maxMessageLength) {
        return FIXED_BYTES + USER_ID_BYTES + ESCAPED_BYTES * (DisplayName.MAX_LENGTH + maxMessageLength);
    }

    /** Bytes of the longest message in JSON that escapes no more than it must. */
    public static int longestMessageBytes() {
        return FIXED_BYTES + USER_ID_BYTES + 4 * (DisplayName.MAX_LENGTH + LONGEST_TEXT);
    }
}

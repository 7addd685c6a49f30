package chat.protocol;

/** Defines sets of default rules for frames; settings override single rules. */
public enum Contract {
    /** User ids are numbers, every frame has a username, and a text has at most 500 characters. */
    FIRST(500, UserIds.NUMBERS, Usernames.REQUIRED),

    /** User ids are any printable ASCII, usernames are optional, and a text may be as long as the table allows. */
    STANDARD(FrameRules.LONGEST_TEXT, UserIds.ASCII, Usernames.DERIVED);

    private final int maxMessageLength;
    private final UserIds userIds;
    private final Usernames usernames;

    Contract(int maxMessageLength, UserIds userIds, Usernames usernames) {
        this.maxMessageLength = maxMessageLength;
        this.userIds = userIds;
        this.usernames = usernames;
    }

    /** The form of user ids in sessions without a token. */
    public enum UserIds {
        /** "1" to the configured maximum. */
        NUMBERS,
        /** See {@link Member#isUserId}. */
        ASCII
    }

    /** The rule for a frame without a username in a session without a token. */
    public enum Usernames {
        /** The frame is rejected. */
        REQUIRED,
        /** The member gets {@link Member#derivedUsername}. */
        DERIVED
    }

    public int maxMessageLength() {
        return maxMessageLength;
    }

    public UserIds userIds() {
        return userIds;
    }

    public Usernames usernames() {
        return usernames;
    }
}

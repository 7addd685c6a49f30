package chat.protocol;

/** The rules for frames that a server applies unless a setting replaces one of them. */
public enum Contract {
    /** User ids are numbers, each frame gives a username, a text has 500 characters at most. */
    FIRST(500, UserIds.NUMBERS, Usernames.REQUIRED),

    /** User ids are those of real user bases, usernames may be left out, a text may have all that the table takes. */
    STANDARD(FrameRules.LONGEST_TEXT, UserIds.ASCII, Usernames.DERIVED);

    private final int maxMessageLength;
    private final UserIds userIds;
    private final Usernames usernames;

    Contract(int maxMessageLength, UserIds userIds, Usernames usernames) {
        this.maxMessageLength = maxMessageLength;
        this.userIds = userIds;
        this.usernames = usernames;
    }

    /** The form of user ids, where no token gives them. */
    public enum UserIds {
        /** "1" to the highest that is set. */
        NUMBERS,
        /** See {@link Member#isUserId}. */
        ASCII
    }

    /** The rule for a frame without a username in a session without a token. */
    public enum Usernames {
        /** It is refused. */
        REQUIRED,
        /** It gets {@link Member#derivedUsername}. */
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

package chat.kit.identity;

import java.util.Collection;

/** What somebody may ask over REST; each may do what those before it may. */
public enum Role {
    /** The history of the rooms that it may join, and its own. */
    MEMBER,
    /** The history of all rooms and users, analytics and metrics. */
    ANALYST,
    /** Dead letters, and checks that cost. */
    OPERATOR;

    /**
     * The highest of those named, in lower or upper case; names that mean nothing here are somebody else's. Everybody is a
     * member.
     */
    public static Role highest(Collection<String> names) {
        Role highest = MEMBER;
        for (Role role : values())
            if (role.compareTo(highest) > 0 && names.stream().anyMatch(role.name()::equalsIgnoreCase)) highest = role;
        return highest;
    }

    public boolean mayAct(Role as) {
        return compareTo(as) >= 0;
    }
}

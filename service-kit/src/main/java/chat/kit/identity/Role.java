package chat.kit.identity;

import java.util.Collection;

/** Lists the roles for REST; each includes the rights of those before it. */
public enum Role {
    /** Reads the history of the rooms that the user may join, and the user's own messages. */
    MEMBER,
    /** Reads the history of all rooms and users, analytics and metrics. */
    ANALYST,
    /** Reads dead letters and runs expensive checks. */
    OPERATOR;

    /**
     * Returns the highest of the named roles, ignoring case and unknown names; MEMBER if there is none.
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

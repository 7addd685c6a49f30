package chat.kit.identity;

import chat.protocol.RoomId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Matches rooms by name or by prefix ({@code team-*}; {@code *}: all). The time to match is proportional to the number
 * of patterns.
 */
public final class RoomPatterns {
    /** Maximum number of patterns; issuers should use prefixes for more rooms. */
    public static final int MAX = 200;

    public static final RoomPatterns NONE = of(List.of());
    public static final RoomPatterns ALL = of(List.of("*"));

    private final Set<String> whole = new HashSet<>();
    private final List<String> beginnings = new ArrayList<>();

    private RoomPatterns(Collection<String> patterns) {
        if (patterns.size() > MAX)
            throw new IllegalArgumentException(patterns.size() + " room patterns; at most " + MAX + " are accepted");
        for (String pattern : patterns) {
            boolean open = pattern.endsWith("*");
            String name = open ? pattern.substring(0, pattern.length() - 1) : pattern;
            if (!RoomId.isValid(name) && !(open && name.isEmpty()))
                throw new IllegalArgumentException("a room pattern must be a room's name, or a prefix followed by *");
            if (open) beginnings.add(name);
            else whole.add(name);
        }
    }

    /** @throws IllegalArgumentException if one is not a pattern, or there are too many */
    public static RoomPatterns of(Collection<String> patterns) {
        return new RoomPatterns(patterns);
    }

    public boolean match(RoomId room) {
        String name = room.value();
        if (whole.contains(name)) return true;
        for (String beginning : beginnings) if (name.startsWith(beginning)) return true;
        return false;
    }
}

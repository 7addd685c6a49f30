package chat.kit.identity;

import chat.protocol.RoomId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which rooms are meant: by their whole names, or by what their names begin with ({@code team-*}; {@code *}: all). Matching
 * takes time in proportion to the patterns, whatever they are.
 */
public final class RoomPatterns {
    /** More is a mistake of who makes the tokens: those rooms have something in common. */
    public static final int MAX = 200;

    public static final RoomPatterns NONE = of(List.of());
    public static final RoomPatterns ALL = of(List.of("*"));

    private final Set<String> whole = new HashSet<>();
    private final List<String> beginnings = new ArrayList<>();

    private RoomPatterns(Collection<String> patterns) {
        if (patterns.size() > MAX) throw new IllegalArgumentException("there are more than " + MAX + " room patterns");
        for (String pattern : patterns) {
            boolean open = pattern.endsWith("*");
            String name = open ? pattern.substring(0, pattern.length() - 1) : pattern;
            if (!RoomId.isValid(name) && !(open && name.isEmpty()))
                throw new IllegalArgumentException(
                        "a room pattern is a room's name, or the beginning of one and *: one is neither");
            if (open) beginnings.add(name);
            else whole.add(name);
        }
    }

    /** @throws IllegalArgumentException where one is no pattern, or there are too many */
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

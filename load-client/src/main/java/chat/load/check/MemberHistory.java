package chat.load.check;

import java.util.List;

/**
 * What one member received, in order.
 *
 * @param order numbers of TEXTs within the room; only the first {@code length} count, and members that saw the same may
 *     share the array
 * @param gaps where the server said that something is missing, in order of {@code at}
 */
public record MemberHistory(int[] order, int length, List<Gap> gaps) {
    /**
     * @param at how many TEXTs the member had received before it
     * @param from messages after this position, and
     * @param to up to this one, may be missing
     */
    public record Gap(int at, long from, long to) {}
}

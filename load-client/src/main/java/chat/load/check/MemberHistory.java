package chat.load.check;

import java.util.Arrays;
import java.util.List;

/**
 * Holds what one member received, in order.
 *
 * @param stays from JOIN to LEAVE, one after the other
 */
public record MemberHistory(List<Stay> stays) {
    /**
     * One stay in the room, over all its connections.
     *
     * @param order numbers of TEXTs within the room; only {@code length} entries from {@code offset} on count, and
     *     members with the same order may share the array
     * @param gaps gaps that the server announced, in order of {@code at}
     * @param from the stay includes everything after this position, -1 if the server sent none
     * @param until the last position of the stay; {@link Long#MAX_VALUE} for the end
     * @param whole whether the member was present from before the first message until the end
     */
    public record Stay(int[] order, int offset, int length, List<Gap> gaps, long from, long until, boolean whole) {
        boolean receivedTheSameAs(Stay other) {
            return Arrays.equals(
                    order, offset, offset + length, other.order, other.offset, other.offset + other.length);
        }
    }

    /**
     * @param at number of TEXTs the member had received before the gap, in this stay
     * @param from messages after this position may be missing
     * @param to last position that may be missing
     */
    public record Gap(int at, long from, long to) {}

    /** A member that was present for the whole run. */
    public static MemberHistory whole(int[] order, int length, List<Gap> gaps) {
        return new MemberHistory(List.of(new Stay(order, 0, length, gaps, -1, Long.MAX_VALUE, true)));
    }

    /** Number of deliveries, duplicates included. */
    public long received() {
        return stays.stream().mapToLong(Stay::length).sum();
    }

    boolean hasGaps() {
        return stays.stream().anyMatch(stay -> !stay.gaps().isEmpty());
    }

    boolean isWhole() {
        return stays.size() == 1 && stays.getFirst().whole();
    }
}

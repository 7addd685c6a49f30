package chat.load.check;

import java.util.Arrays;
import java.util.List;

/**
 * What one member received, in order.
 *
 * @param stays from JOIN to LEAVE, one after the other
 */
public record MemberHistory(List<Stay> stays) {
    /**
     * One stay in the room, over all its connections.
     *
     * @param order numbers of TEXTs within the room; only the {@code length} from {@code offset} on count, and members that saw
     *     the same may share the array
     * @param gaps where the server said that something is missing, in order of {@code at}
     * @param from the stay has everything after this position, -1 where the server told none
     * @param until and up to this one; {@link Long#MAX_VALUE} to the end
     * @param whole the member was there before anybody sent anything, and until the end
     */
    public record Stay(int[] order, int offset, int length, List<Gap> gaps, long from, long until, boolean whole) {
        boolean receivedTheSameAs(Stay other) {
            return Arrays.equals(
                    order, offset, offset + length, other.order, other.offset, other.offset + other.length);
        }
    }

    /**
     * @param at how many TEXTs the member had received before it, in this stay
     * @param from messages after this position, and
     * @param to up to this one, may be missing
     */
    public record Gap(int at, long from, long to) {}

    /** A member that was there all the time. */
    public static MemberHistory whole(int[] order, int length, List<Gap> gaps) {
        return new MemberHistory(List.of(new Stay(order, 0, length, gaps, -1, Long.MAX_VALUE, true)));
    }

    /** Deliveries, doubles included. */
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

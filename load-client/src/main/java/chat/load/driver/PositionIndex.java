package chat.load.driver;

import java.util.Arrays;

/** Maps positions to prefixes of a room's order, as far as frames contain positions. */
final class PositionIndex {
    private long[] positions = new long[64];
    private int[] sizes = new int[64];
    private int count;
    private int storedCount;

    /** @param size of the room's order when it includes everything up to {@code position}; positions ascend */
    void add(long position, int size) {
        if (count == positions.length) {
            positions = Arrays.copyOf(positions, 2 * count);
            sizes = Arrays.copyOf(sizes, 2 * count);
        }
        positions[count] = position;
        sizes[count++] = size;
    }

    /** 0 if there is none. */
    long lastPosition() {
        return count == 0 ? 0 : positions[count - 1];
    }

    /** How much of the order was stored at the last update. */
    int stored() {
        return storedCount == 0 ? 0 : sizes[storedCount - 1];
    }

    /** @return the new value of {@link #stored} */
    int storedThrough(long position) {
        while (storedCount < count && positions[storedCount] <= position) storedCount++;
        return stored();
    }
}

package chat.load.driver;

import java.util.Arrays;

/** Which part of a room's order lies at or below which positions, as far as frames told them. */
final class Marks {
    private long[] positions = new long[64];
    private int[] sizes = new int[64];
    private int count;
    private int storedMarks;

    /** @param size of the room's order once everything up to {@code position} is in it; positions ascend */
    void add(long position, int size) {
        if (count == positions.length) {
            positions = Arrays.copyOf(positions, 2 * count);
            sizes = Arrays.copyOf(sizes, 2 * count);
        }
        positions[count] = position;
        sizes[count++] = size;
    }

    /** 0 where there is none. */
    long lastPosition() {
        return count == 0 ? 0 : positions[count - 1];
    }

    /** How much of the order was stored when that was last heard. */
    int stored() {
        return storedMarks == 0 ? 0 : sizes[storedMarks - 1];
    }

    /** @return {@link #stored} from now on */
    int storedThrough(long position) {
        while (storedMarks < count && positions[storedMarks] <= position) storedMarks++;
        return stored();
    }
}

package chat.load.driver;

import java.util.Arrays;
import java.util.BitSet;

/** The order in which a room's TEXTs were first seen, each once: members that saw just that need no list of their own. */
final class RoomOrder {
    private final int[] numbers;
    private final BitSet seen;
    private int size;

    RoomOrder(int texts) {
        numbers = new int[texts];
        seen = new BitSet(texts);
    }

    int[] numbers() {
        return numbers;
    }

    int size() {
        return size;
    }

    /** @return false where it stands here already */
    boolean append(int number) {
        if (seen.get(number)) return false;
        seen.set(number);
        numbers[size++] = number;
        return true;
    }

    /** How many of {@code batch} are just what follows the first {@code from}. */
    int matches(int from, int[] batch) {
        int common = Math.min(batch.length, size - from);
        int mismatch = Arrays.mismatch(numbers, from, from + common, batch, 0, common);
        return mismatch < 0 ? common : mismatch;
    }
}

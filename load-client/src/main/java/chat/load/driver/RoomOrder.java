package chat.load.driver;

import java.util.Arrays;

/** The order in which a room's TEXTs were first seen, each once: members that saw just that need no list of their own. */
final class RoomOrder {
    private final int[] numbers;
    /** Where each number stands, plus one; 0: not seen. */
    private final int[] places;

    private int size;

    RoomOrder(int texts) {
        numbers = new int[texts];
        places = new int[texts];
    }

    int[] numbers() {
        return numbers;
    }

    int size() {
        return size;
    }

    /** @return -1 where it was not seen yet */
    int place(int number) {
        return places[number] - 1;
    }

    /** @return false where it stands here already */
    boolean append(int number) {
        if (places[number] != 0) return false;
        numbers[size++] = number;
        places[number] = size;
        return true;
    }

    /** How many of {@code batch} are just what follows the first {@code from}. */
    int matches(int from, int[] batch) {
        int common = Math.min(batch.length, size - from);
        int mismatch = Arrays.mismatch(numbers, from, from + common, batch, 0, common);
        return mismatch < 0 ? common : mismatch;
    }
}

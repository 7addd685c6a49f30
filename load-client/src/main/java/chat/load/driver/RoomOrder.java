package chat.load.driver;

import java.util.Arrays;

/** Holds the order in which a room's TEXTs were first seen, each once. Members with the same order share it. */
final class RoomOrder {
    private final int[] numbers;
    /** Index of each number plus one; 0: not seen. */
    private final int[] indexes;

    private int size;

    RoomOrder(int texts) {
        numbers = new int[texts];
        indexes = new int[texts];
    }

    int[] numbers() {
        return numbers;
    }

    int size() {
        return size;
    }

    /** @return -1 if it has not been seen */
    int indexOf(int number) {
        return indexes[number] - 1;
    }

    /** @return false if it is already in the order */
    boolean append(int number) {
        if (indexes[number] != 0) return false;
        numbers[size++] = number;
        indexes[number] = size;
        return true;
    }

    /** Returns how many entries of {@code batch} match the order from index {@code from} on. */
    int matches(int from, int[] batch) {
        int common = Math.min(batch.length, size - from);
        int mismatch = Arrays.mismatch(numbers, from, from + common, batch, 0, common);
        return mismatch < 0 ? common : mismatch;
    }
}

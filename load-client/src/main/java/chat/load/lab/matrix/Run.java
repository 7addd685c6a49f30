package chat.load.lab.matrix;

import java.nio.file.Path;

/**
 * One run of a matrix.
 *
 * @param number its index in the order, from 1
 * @param repeat of its cell, from 1
 * @param runs total number of runs
 */
public record Run(int number, int repeat, int runs, Cell cell) {
    private static final int MAX_NAME = 80;

    /** Such as {@code 03-CHAT_LOG_LINGER=5ms,window=1}. */
    public Path folder(Path out) {
        String name = cell.name().replaceAll("[^A-Za-z0-9._=,+-]", "_");
        int digits = Integer.toString(runs).length();
        return out.resolve("%0"
                .concat(digits + "d-%s")
                .formatted(number, name.substring(0, Math.min(name.length(), MAX_NAME))));
    }
}

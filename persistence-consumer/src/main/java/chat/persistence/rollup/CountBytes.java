package chat.persistence.rollup;

import java.util.Arrays;

/**
 * Message counts by number (of a user or room), encoded as bytes: differences of ascending numbers, each followed by
 * its count. If both are small, a number takes two bytes.
 *
 * @param distinct amount of numbers
 */
public record CountBytes(byte[] bytes, int distinct) {
    private static final int EXPECTED = 3;

    /** @param numbers one for each message, in any order; this method sorts the array */
    static CountBytes of(int[] numbers) {
        Arrays.sort(numbers);
        Builder builder = new Builder(numbers.length);
        int from = 0;
        while (from < numbers.length) {
            int to = from + 1;
            while (to < numbers.length && numbers[to] == numbers[from]) to++;
            builder.add(numbers[from], to - from);
            from = to;
        }
        return builder.done();
    }

    /** The sum of both. The time is linear in their length. */
    static CountBytes sum(byte[] one, byte[] other) {
        Cursor left = new Cursor(one);
        Cursor right = new Cursor(other);
        Builder builder = new Builder((one.length + other.length) / 2);
        while (left.present || right.present) {
            if (!right.present || (left.present && left.number < right.number)) {
                builder.add(left.number, left.count);
                left.advance();
            } else if (!left.present || right.number < left.number) {
                builder.add(right.number, right.count);
                right.advance();
            } else {
                builder.add(left.number, left.count + right.count);
                left.advance();
                right.advance();
            }
        }
        return builder.done();
    }

    /** Receives numbers and their counts. */
    @FunctionalInterface
    public interface Sink {
        void count(int number, long count);
    }

    /** Reads by ascending number. */
    public static void read(byte[] bytes, Sink sink) {
        for (Cursor cursor = new Cursor(bytes); cursor.present; cursor.advance())
            sink.count(cursor.number, cursor.count);
    }

    private static final class Builder {
        private final Varints.Writer writer;
        private int previous;
        private int distinct;

        Builder(int expected) {
            writer = new Varints.Writer(expected * EXPECTED);
        }

        void add(int number, long count) {
            writer.number(number - previous).number(count);
            previous = number;
            distinct++;
        }

        CountBytes done() {
            return new CountBytes(writer.bytes(), distinct);
        }
    }

    private static final class Cursor {
        private final Varints.Reader reader;
        private boolean present = true;
        private int number;
        private long count;

        Cursor(byte[] bytes) {
            reader = new Varints.Reader(bytes, 0);
            advance();
        }

        void advance() {
            present = reader.more();
            if (!present) return;
            number += (int) reader.number();
            count = reader.number();
        }
    }
}

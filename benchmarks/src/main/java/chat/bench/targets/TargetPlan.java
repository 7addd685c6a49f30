package chat.bench.targets;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Says what to measure.
 *
 * @param runs number of runs of each measurement
 * @param parts in this order
 */
record TargetPlan(int runs, List<Part> parts) {
    private static final int DEFAULT_RUNS = 3;
    private static final int MAX_RUNS = 1_000;

    /** A part of the table. */
    enum Part {
        CHAT,
        OFFERED,
        CONNECTIONS,
        STANDARD,
        IDLE;

        private String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        private static Part parse(String text) {
            return Arrays.stream(values())
                    .filter(part -> part.text().equals(text))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("unknown row: " + text + "; the rows are "
                            + Arrays.stream(values()).map(Part::text).collect(Collectors.joining(", "))));
        }
    }

    /**
     * Reads {@code [RUNS] [ROW ...]}.
     *
     * @throws IllegalArgumentException says what is wrong and what is accepted
     */
    static TargetPlan parse(List<String> words) {
        boolean counted = !words.isEmpty() && words.getFirst().matches("-?\\d.*");
        List<String> rows = counted ? words.subList(1, words.size()) : words;
        return new TargetPlan(
                counted ? runs(words.getFirst()) : DEFAULT_RUNS,
                rows.isEmpty()
                        ? List.of(Part.values())
                        : rows.stream().map(Part::parse).toList());
    }

    private static int runs(String text) {
        if (text.matches("[1-9]\\d{0,3}") && Integer.parseInt(text) <= MAX_RUNS) return Integer.parseInt(text);
        throw new IllegalArgumentException("RUNS must be a whole number from 1 to " + MAX_RUNS + ", not " + text);
    }
}

package chat.bench.pairs;

import chat.load.plan.Placement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Says what to compare.
 *
 * @param servers number of chat servers of platform B
 * @param placement how B's members are distributed
 * @param pairs number of pairs that count
 * @param warmUps number of pairs that run first and do not count
 * @param variables environment of platform B
 */
record PairsPlan(int servers, Placement placement, int pairs, int warmUps, Map<String, String> variables) {
    private static final int MAX_SERVERS = 16;
    private static final int MAX_PAIRS = 1_000;
    private static final int DEFAULT_PAIRS = 5;
    private static final int DEFAULT_WARM_UPS = 3;

    /**
     * Reads {@code SERVERS PLACEMENT [PAIRS [WARM_UPS]] [VARIABLE=VALUE ...]}.
     *
     * @throws IllegalArgumentException says what is wrong and what is accepted
     */
    static PairsPlan parse(List<String> words) {
        if (words.size() < 2)
            throw new IllegalArgumentException("SERVERS and PLACEMENT are required, such as: 4 partition");
        int servers = number("SERVERS", words.get(0), 1, MAX_SERVERS);
        Placement placement = placement(words.get(1));
        List<String> numbers = new ArrayList<>();
        Map<String, String> variables = new LinkedHashMap<>();
        for (String word : words.subList(2, words.size())) {
            if (word.matches("[A-Z][A-Z0-9_]*=.*"))
                variables.put(word.substring(0, word.indexOf('=')), word.substring(word.indexOf('=') + 1));
            else if (variables.isEmpty() && numbers.size() < 2 && word.matches("[-\\d].*")) numbers.add(word);
            else throw new IllegalArgumentException(word + " is not of the form VARIABLE=VALUE");
        }
        return new PairsPlan(
                servers,
                placement,
                numbers.isEmpty() ? DEFAULT_PAIRS : number("PAIRS", numbers.get(0), 1, MAX_PAIRS),
                numbers.size() < 2 ? DEFAULT_WARM_UPS : number("WARM_UPS", numbers.get(1), 0, MAX_PAIRS),
                variables);
    }

    private static Placement placement(String text) {
        return switch (text) {
            case "partition" -> Placement.PARTITION;
            case "spread" -> Placement.SPREAD;
            default -> throw new IllegalArgumentException("PLACEMENT must be partition or spread, not " + text);
        };
    }

    private static int number(String what, String text, int from, int to) {
        if (text.matches("\\d{1,4}")) {
            int number = Integer.parseInt(text);
            if (number >= from && number <= to) return number;
        }
        throw new IllegalArgumentException(
                what + " must be a whole number from " + from + " to " + to + ", not " + text);
    }

    /** The value of the load client's option {@code --placement}. */
    String placementOption() {
        return placement.name().toLowerCase(Locale.ROOT);
    }
}

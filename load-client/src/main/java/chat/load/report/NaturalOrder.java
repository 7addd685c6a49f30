package chat.load.report;

import java.math.BigDecimal;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Orders texts with numbers by value: {@code 500ms} before {@code 1s}, {@code run-9} before {@code run-10}. */
final class NaturalOrder {
    private static final Pattern QUANTITY = Pattern.compile("(-?\\d+(?:\\.\\d+)?)\\s*([a-zA-Z]*)");
    private static final Map<String, BigDecimal> UNITS = Map.of(
            "", BigDecimal.ONE,
            "ms", new BigDecimal("0.001"),
            "s", BigDecimal.ONE,
            "m", BigDecimal.valueOf(60),
            "h", BigDecimal.valueOf(3600),
            "b", BigDecimal.ONE,
            "kb", BigDecimal.valueOf(1 << 10),
            "mb", BigDecimal.valueOf(1 << 20),
            "gb", BigDecimal.valueOf(1 << 30));
    /** A sequence of digits, or of anything else. */
    private static final Pattern PART = Pattern.compile("\\d{1,18}|\\D+");

    private NaturalOrder() {}

    /** Distinct values, ordered as quantities if all of them are. */
    static List<String> distinct(List<String> values) {
        return values.stream()
                .distinct()
                .sorted(areQuantities(values) ? Comparator.comparing(NaturalOrder::quantity) : NaturalOrder::compare)
                .toList();
    }

    static boolean areQuantities(List<String> values) {
        return values.stream().allMatch(value -> quantity(value) != null);
    }

    private static @Nullable BigDecimal quantity(String text) {
        Matcher quantity = QUANTITY.matcher(text);
        if (!quantity.matches()) return null;
        BigDecimal unit = UNITS.get(quantity.group(2).toLowerCase(Locale.ROOT));
        return unit == null ? null : new BigDecimal(quantity.group(1)).multiply(unit);
    }

    static int compare(String one, String other) {
        List<String> parts = parts(one);
        List<String> otherParts = parts(other);
        for (int i = 0; i < Math.min(parts.size(), otherParts.size()); i++) {
            int order = comparePart(parts.get(i), otherParts.get(i));
            if (order != 0) return order;
        }
        return Integer.compare(parts.size(), otherParts.size());
    }

    private static List<String> parts(String text) {
        return PART.matcher(text).results().map(part -> part.group()).toList();
    }

    private static int comparePart(String one, String other) {
        return Character.isDigit(one.charAt(0)) && Character.isDigit(other.charAt(0))
                ? Long.compare(Long.parseLong(one), Long.parseLong(other))
                : one.compareTo(other);
    }
}

package chat.load.lab.matrix;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * Describes one setting that is varied.
 *
 * @param name of an environment variable, or of an option without its dashes
 * @param values at least one, without duplicates; the first one is used while another axis is varied alone
 */
public record Axis(Kind kind, String name, List<String> values) {
    public enum Kind {
        /** An environment variable of the platform, which is restarted for each value. */
        ENVIRONMENT,
        /** An option of the scenario. */
        OPTION
    }

    public Axis {
        values = List.copyOf(values);
        if (name.isBlank()) throw new IllegalArgumentException("a setting needs a name");
        if (values.isEmpty() || values.stream().anyMatch(String::isEmpty))
            throw new IllegalArgumentException(name + " needs values, as in " + name + "=1,2");
        if (new LinkedHashSet<>(values).size() < values.size())
            throw new IllegalArgumentException(name + " has a value twice");
    }

    /** @param text {@code NAME=value,value}; a comma within a value is {@code \,} */
    public static Axis parse(Kind kind, String text) {
        int equals = text.indexOf('=');
        if (equals < 1)
            throw new IllegalArgumentException("a setting is given as NAME=value,value, not '" + text + "'");
        String name = text.substring(0, equals);
        if (kind == Kind.OPTION && name.startsWith("-"))
            throw new IllegalArgumentException("an option is given without its dashes, not '" + name + "'");
        return new Axis(kind, name, values(text.substring(equals + 1)));
    }

    private static List<String> values(String text) {
        List<String> values = new ArrayList<>();
        StringBuilder value = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\' && i + 1 < text.length() && text.charAt(i + 1) == ',') {
                value.append(',');
                i++;
            } else if (c == ',') {
                values.add(value.toString());
                value.setLength(0);
            } else {
                value.append(c);
            }
        }
        values.add(value.toString());
        return values;
    }

    /** All combinations; the last axis changes fastest. */
    public static List<Map<Axis, String>> product(List<Axis> axes) {
        List<Map<Axis, String>> product = List.of(Map.of());
        for (Axis axis : axes) {
            List<Map<Axis, String>> longer = new ArrayList<>();
            for (Map<Axis, String> point : product)
                for (String value : axis.values()) longer.add(with(point, axis, value));
            product = longer;
        }
        return product;
    }

    /** The combination of all first values, then each other value alone. */
    public static List<Map<Axis, String>> oneAtATime(List<Axis> axes) {
        Map<Axis, String> base = new LinkedHashMap<>();
        for (Axis axis : axes) base.put(axis, axis.values().getFirst());
        List<Map<Axis, String>> points = new ArrayList<>();
        points.add(base);
        for (Axis axis : axes)
            for (String value : axis.values().subList(1, axis.values().size())) points.add(with(base, axis, value));
        return points;
    }

    private static Map<Axis, String> with(Map<Axis, String> point, Axis axis, String value) {
        Map<Axis, String> changed = new LinkedHashMap<>(point);
        changed.put(axis, value);
        return changed;
    }
}

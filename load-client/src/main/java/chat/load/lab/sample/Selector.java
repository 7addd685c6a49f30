package chat.load.lab.sample;

import java.util.Map;

/** Which values of a metric count: all, or those with a certain label. */
record Selector(String metric, Match match, String label, String text) {
    enum Match {
        ALL,
        EQUAL,
        OTHER,
        PREFIX
    }

    static Selector all(String metric) {
        return new Selector(metric, Match.ALL, "", "");
    }

    static Selector with(String metric, String label, String text) {
        return new Selector(metric, Match.EQUAL, label, text);
    }

    static Selector without(String metric, String label, String text) {
        return new Selector(metric, Match.OTHER, label, text);
    }

    static Selector beginning(String metric, String label, String prefix) {
        return new Selector(metric, Match.PREFIX, label, prefix);
    }

    boolean matches(Map<String, String> labels) {
        String value = labels.getOrDefault(label, "");
        return switch (match) {
            case ALL -> true;
            case EQUAL -> value.equals(text);
            case OTHER -> !value.equals(text);
            case PREFIX -> value.startsWith(text);
        };
    }
}

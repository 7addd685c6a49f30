package chat.launcher;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the metrics in a PromQL expression by removing everything else. */
final class PromQl {
    private static final Pattern STRINGS = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`");
    private static final Pattern LABELS = Pattern.compile("\\{[^}]*}");
    private static final Pattern RANGES = Pattern.compile("\\[[^]]*]");
    private static final Pattern LABEL_LISTS =
            Pattern.compile("\\b(?:by|without|on|ignoring|group_left|group_right)\\s*\\([^)]*\\)");
    private static final Pattern WORDS = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*(?!\\w|\\s*\\()");
    private static final Set<String> KEYWORDS = Set.of(
            "and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring", "group_left", "group_right");

    private PromQl() {}

    static Set<String> metrics(String expression) {
        String bare = expression;
        for (Pattern pattern : new Pattern[] {STRINGS, LABELS, RANGES, LABEL_LISTS})
            bare = pattern.matcher(bare).replaceAll(" ");
        // The exponent of a number and a duration start with a digit.
        bare = bare.replaceAll("\\b\\d[\\w.]*", " ");
        Set<String> found = new TreeSet<>();
        Matcher words = WORDS.matcher(bare);
        while (words.find()) if (!KEYWORDS.contains(words.group())) found.add(words.group());
        return found;
    }
}

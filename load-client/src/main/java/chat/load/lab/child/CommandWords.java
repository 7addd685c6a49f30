package chat.load.lab.child;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Splits a command line into words as a POSIX shell does. Blanks, single quotes, double quotes and backslashes are
 * interpreted; variables, pipes and globs are not. Commands start without a shell, so that signals reach the program
 * itself.
 */
public final class CommandWords {
    private static final String PLAIN = "_-./:=,@%+{}";

    private CommandWords() {}

    /** @throws IllegalArgumentException if a quote is not closed, or the command is empty */
    public static List<String> split(String command) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean inWord = false;
        char quote = 0;
        for (int i = 0; i < command.length(); i++) {
            char c = command.charAt(i);
            boolean escapes = c == '\\' && quote != '\'' && i + 1 < command.length();
            if (escapes && (quote == 0 || "\\\"$`".indexOf(command.charAt(i + 1)) >= 0)) {
                word.append(command.charAt(++i));
                inWord = true;
            } else if (quote != 0 && c == quote) {
                quote = 0;
            } else if (quote == 0 && (c == '\'' || c == '"')) {
                quote = c;
                inWord = true;
            } else if (quote == 0 && Character.isWhitespace(c)) {
                if (inWord) words.add(word.toString());
                word.setLength(0);
                inWord = false;
            } else {
                word.append(c);
                inWord = true;
            }
        }
        if (quote != 0) throw new IllegalArgumentException("a quote is not closed: " + command);
        if (inWord) words.add(word.toString());
        if (words.isEmpty()) throw new IllegalArgumentException("a command has to name a program");
        return words;
    }

    /** Reverses {@link #split}: returns one line that can be pasted into a shell. */
    public static String join(List<String> words) {
        return words.stream().map(CommandWords::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(String word) {
        boolean plain = !word.isEmpty() && word.chars().allMatch(CommandWords::isPlain);
        return plain ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    private static boolean isPlain(int c) {
        return PLAIN.indexOf(c) >= 0 || (c < 128 && Character.isLetterOrDigit(c));
    }
}

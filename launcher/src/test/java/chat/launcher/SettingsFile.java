package chat.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One of our YAML files of settings: nothing but names, values and comments. A YAML parser would drop the comments. */
final class SettingsFile {
    private static final Pattern LINE = Pattern.compile("^( *)([\\w.-]+):(?: +([^#\\s].*?))?(?:\\s+# (.*))?$");
    private static final Pattern COMMENT = Pattern.compile("^ *# (.*)$");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{(\\w+):([^}]*)}");

    /**
     * @param variable of the environment that it has in the file; null where it has none
     * @param comment beside or above it; empty where there is none
     */
    record Line(String name, String value, @Nullable String variable, String comment) {}

    private record Level(int indent, String prefix) {}

    private SettingsFile() {}

    static List<Line> lines(Path file) {
        List<Line> found = new ArrayList<>();
        Deque<Level> levels = new ArrayDeque<>();
        StringBuilder above = new StringBuilder();
        for (String text : read(file)) {
            Matcher comment = COMMENT.matcher(text);
            Matcher line = LINE.matcher(text);
            if (comment.matches()) {
                above.append(above.isEmpty() ? "" : " ").append(comment.group(1));
            } else if (line.matches()) {
                int indent = line.group(1).length();
                while (!levels.isEmpty() && levels.getLast().indent() >= indent) levels.removeLast();
                String name = (levels.isEmpty() ? "" : levels.getLast().prefix() + ".") + line.group(2);
                if (line.group(3) == null) levels.addLast(new Level(indent, name));
                else found.add(line(name, line.group(3), line.group(4) == null ? above.toString() : line.group(4)));
                above.setLength(0);
            } else {
                above.setLength(0);
            }
        }
        return found;
    }

    private static Line line(String name, String value, String comment) {
        String bare = value.replaceAll("^\"|\"$", "");
        Matcher variable = VARIABLE.matcher(bare);
        return variable.matches()
                ? new Line(name, variable.group(2), variable.group(1), comment)
                : new Line(name, bare, null, comment);
    }

    private static List<String> read(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}

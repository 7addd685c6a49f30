package chat.load;

import chat.load.plan.Numbering;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is sent before a run, as typed.
 *
 * @param connections 0: those of the run
 * @param messages of each connection; 0: no warm-up
 */
record WarmUp(int connections, int messages) {
    static final WarmUp NONE = new WarmUp(0, 0);

    /** Small rooms: a warm-up is to run the code, not to fan out. */
    private static final int ROOM = 4;

    private static final Pattern SPEC = Pattern.compile("(?:([1-9]\\d{0,5})x)?(\\d{1,9})");

    static WarmUp parse(String text) {
        if (text.equals("none")) return NONE;
        Matcher spec = SPEC.matcher(text);
        if (!spec.matches())
            throw new IllegalArgumentException(
                    "a warm-up is given as N messages, CxN such as 32x1000, or none, not '" + text + "'");
        int connections = spec.group(1) == null ? 0 : Integer.parseInt(spec.group(1));
        return new WarmUp(connections, Integer.parseInt(spec.group(2)));
    }

    /** @return null where there is to be none */
    @Nullable
    Numbering size(Numbering run) {
        if (messages == 0) return null;
        if (connections == 0) return new Numbering(run.rooms(), run.users(), messages);
        int users = connections % ROOM == 0 ? ROOM : 1;
        return new Numbering(connections / users, users, messages);
    }
}

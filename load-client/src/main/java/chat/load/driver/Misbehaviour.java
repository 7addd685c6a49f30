package chat.load.driver;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What became of a client that misbehaved.
 *
 * @param who for people
 * @param seconds from its misbehaviour until the server closed it, or until we gave up waiting
 * @param ending null where the server did not close it
 */
record Misbehaviour(String who, double seconds, @Nullable Ending ending) {
    @Override
    public String toString() {
        return ending == null
                ? String.format(Locale.ROOT, "%s was still open after %.1f s", who, seconds)
                : String.format(Locale.ROOT, "%s was closed after %.1f s: %s", who, seconds, ending);
    }
}

package chat.load.driver;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Records the result of a client that misbehaved.
 *
 * @param who description for users
 * @param seconds from the misbehaviour until the server closed the connection, or until the wait ended
 * @param ending null if the server did not close it
 */
record Misbehaviour(String who, double seconds, @Nullable Ending ending) {
    @Override
    public String toString() {
        return ending == null
                ? String.format(Locale.ROOT, "%s was still open after %.1f s", who, seconds)
                : String.format(Locale.ROOT, "%s was closed after %.1f s: %s", who, seconds, ending);
    }
}

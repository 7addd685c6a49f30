package chat.server.admission;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reason to turn a client away before it has a socket. Thread-safe and fast, since it is asked on event loops; it keeps
 * nothing for those it lets pass, whom the next rule may refuse.
 */
@FunctionalInterface
public interface HandshakeRule {

    /** Why this client gets no socket now; null where this rule has nothing against it. */
    @Nullable
    Rejection refuses(HandshakeRequest visit);

    /** The reasons that it may give: their metrics begin at 0. */
    default List<String> reasons() {
        return List.of();
    }
}

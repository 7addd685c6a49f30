package chat.server.admission;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a client may open a WebSocket. Thread-safe and fast: it runs on event loops. A rule keeps no state
 * for a client that it accepts, because the next rule may reject that client.
 */
@FunctionalInterface
public interface HandshakeRule {

    /** Returns the rejection, or null if this rule accepts the client. */
    @Nullable
    Rejection check(HandshakeRequest request);

    /** The reasons this rule may give; their counters start at 0. */
    default List<String> reasons() {
        return List.of();
    }
}

package chat.nodes;

import org.jspecify.annotations.Nullable;

/**
 * Reports that a server could not be found, started, queried or stopped. The message says what to do, or what the
 * server printed.
 */
public final class NodeException extends RuntimeException {
    NodeException(String message) {
        super(message);
    }

    NodeException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

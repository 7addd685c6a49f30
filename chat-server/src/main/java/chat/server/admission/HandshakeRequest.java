package chat.server.admission;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * A request for a WebSocket, before the server keeps any state for it.
 *
 * @param client the client's address; forwarded addresses count only from trusted proxies; null: unknown
 */
public record HandshakeRequest(@Nullable InetAddress client, Headers headers) {

    /** The request headers, unverified. */
    @FunctionalInterface
    public interface Headers {
        /**
         * Returns the value of a header, or null; several values are joined by commas. The name is case-insensitive.
         */
        @Nullable
        String value(String name);
    }
}

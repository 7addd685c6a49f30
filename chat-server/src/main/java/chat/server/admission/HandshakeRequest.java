package chat.server.admission;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * A client that asks for a socket, before anything is kept for it.
 *
 * @param client its address, as far as the proxies are trusted that it came by; null where it is not known
 */
public record HandshakeRequest(@Nullable InetAddress client, Headers headers) {

    /** What the client says of itself; nothing of it has been checked. */
    @FunctionalInterface
    public interface Headers {
        /**
         * The value of a header, all of them with commas between where it is given several times; null where there is
         * none. Upper and lower case of the name are the same.
         */
        @Nullable
        String value(String name);
    }
}

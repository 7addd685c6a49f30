package chat.server.door;

import java.util.Locale;
import org.springframework.http.HttpHeaders;

/** Requests for a socket. */
public final class Upgrades {
    private Upgrades() {}

    /** By the header and not by the path, which has many spellings; a client that would like HTTP/2 has an Upgrade as well. */
    public static boolean areAskedFor(HttpHeaders headers) {
        for (String upgrade : headers.getOrEmpty(HttpHeaders.UPGRADE))
            if (upgrade.toLowerCase(Locale.ROOT).contains("websocket")) return true;
        return false;
    }
}

package chat.load.driver;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Asks before a run whether servers listen at all. */
public final class Reachability {
    private static final int CONNECT_MILLIS = 3_000;

    private Reachability() {}

    /** @return those that do not, and why; blocks up to 3 s for each */
    public static Map<ServerUrl, String> unreachable(List<ServerUrl> urls) {
        Map<ServerUrl, String> unreachable = new LinkedHashMap<>();
        for (ServerUrl url : urls) {
            InetSocketAddress address = url.address();
            if (address.isUnresolved()) {
                unreachable.put(url, "unknown host");
                continue;
            }
            try (Socket socket = new Socket()) {
                socket.connect(address, CONNECT_MILLIS);
            } catch (IOException refused) {
                unreachable.put(url, String.valueOf(refused.getMessage()));
            }
        }
        return unreachable;
    }
}

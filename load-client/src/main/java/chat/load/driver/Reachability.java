package chat.load.driver;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Checks before a run whether servers accept connections. */
public final class Reachability {
    private static final int CONNECT_MILLIS = 3_000;

    private Reachability() {}

    /** @return the unreachable servers with reasons; blocks up to 3 s for each */
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

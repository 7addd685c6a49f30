package chat.server;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;

/** The id of this server, in logs and in every message that it publishes. */
public record ServerId(String value) {

    static ServerId of(String configured) {
        return new ServerId(configured.isEmpty() ? made() : configured);
    }

    private static String made() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName().replaceAll("[^A-Za-z0-9.-]", "-");
        } catch (UnknownHostException nameless) {
            host = "chat";
        }
        String suffix = Integer.toString(ThreadLocalRandom.current().nextInt(36 * 36 * 36), 36);
        return (host.length() > 48 ? host.substring(0, 48) : host) + "-" + suffix;
    }
}

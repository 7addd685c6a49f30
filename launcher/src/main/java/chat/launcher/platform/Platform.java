package chat.launcher.platform;

import java.nio.file.Path;
import java.util.Map;

/** A running Confab. */
public interface Platform extends AutoCloseable {
    /** Default directory of data and keys; {@code ./token} has the same default. */
    Path DIRECTORY = Path.of(".confab");

    /**
     * Starts everything and returns when clients can connect.
     *
     * @throws StartFailure or {@link chat.nodes.NodeException}
     */
    void start();

    /**
     * Stops everything that was started, in an order that loses no message. Any thread may call it, at any time, once.
     */
    @Override
    void close();

    /**
     * Describes which clients are admitted, for people.
     *
     * @param home data directory; the printed command names it unless it is the default
     */
    static String who(Map<String, String> identity, Path home) {
        String mode = identity.getOrDefault("CHAT_IDENTITY", System.getenv("CHAT_IDENTITY"));
        if (!"token".equalsIgnoreCase(mode))
            return "everyone, under any name (open mode, for trials; to require tokens see docs/guide/identity.md)";
        return identity.isEmpty()
                ? "clients with a token of the configured issuer"
                : "clients with a token: ./token --user 42 --rooms 'lobby,team-*'" + dir(home)
                        + " prints one (--help: more)";
    }

    /** Returns the --dir option for the directory, quoted for a shell; empty for the default. */
    static String dir(Path home) {
        if (home.equals(DIRECTORY.toAbsolutePath().normalize())) return "";
        String path = home.toString();
        return " --dir " + (path.matches("[\\w./:@%+=,-]+") ? path : "'" + path.replace("'", "'\\''") + "'");
    }
}

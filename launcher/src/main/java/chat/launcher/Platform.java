package chat.launcher;

import java.nio.file.Path;
import java.util.Map;

/** A running Confab. */
interface Platform extends AutoCloseable {
    /**
     * Returns when people can chat.
     *
     * @throws StartFailure or {@link chat.nodes.NodeException}
     */
    void start();

    /** Stops everything that was started, in the order that loses nothing; any thread, any time, once. */
    @Override
    void close();

    /**
     * Says who may use the platform, for people.
     *
     * @param home where data is kept: the command that is printed names it unless it is what that command takes by itself
     */
    static String who(Map<String, String> identity, Path home) {
        String mode = identity.getOrDefault("CHAT_IDENTITY", System.getenv("CHAT_IDENTITY"));
        if (!"token".equalsIgnoreCase(mode))
            return "everybody, under any name (open: for trying out; docs/guide/identity.md says how to ask for tokens)";
        return identity.isEmpty()
                ? "who has a token of the issuer that is set"
                : "who has a token: ./token --user 42 --rooms 'lobby,team-*'" + dir(home)
                        + " prints one (--help: more)";
    }

    /** The option that names the directory, to be typed into a shell; nothing where it is the default. */
    static String dir(Path home) {
        if (home.equals(Confab.DIRECTORY.toAbsolutePath().normalize())) return "";
        String path = home.toString();
        return " --dir " + (path.matches("[\\w./:@%+=,-]+") ? path : "'" + path.replace("'", "'\\''") + "'");
    }
}

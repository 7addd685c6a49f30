package chat.local;

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

    /** Who is let in, for people. */
    static String who(Map<String, String> identity) {
        String mode = identity.getOrDefault("CHAT_IDENTITY", System.getenv("CHAT_IDENTITY"));
        if (!"token".equalsIgnoreCase(mode))
            return "everybody, under any name (open: for trying out; docs/identity.md says how to ask for tokens)";
        return identity.isEmpty()
                ? "who has a token of the issuer that is set"
                : "who has a token: ./token --user 42 --rooms 'lobby,team-*' prints one (--help: more)";
    }
}

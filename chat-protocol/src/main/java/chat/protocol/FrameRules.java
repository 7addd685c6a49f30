package chat.protocol;

/**
 * What a server accepts from a client; announced in WELCOME.
 *
 * @param maxFrameBytes of one text frame, all fragments together
 * @param maxMessageLength of one TEXT, in code points
 * @param maxUserId the highest accepted {@code userId}
 * @param maxHistory messages that one JOIN may ask for
 */
public record FrameRules(int maxFrameBytes, int maxMessageLength, int maxUserId, int maxHistory) {
    public static final FrameRules DEFAULT = new FrameRules(65_536, 500, 100_000, 500);

    public FrameRules {
        if (maxFrameBytes < 1024 || maxMessageLength < 1 || maxUserId < 1 || maxHistory < 0)
            throw new IllegalArgumentException(
                    "maxFrameBytes must be at least 1024, maxMessageLength and maxUserId 1, maxHistory 0");
    }
}

package chat.server;

import chat.kit.identity.Claims;
import chat.kit.identity.SigningKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/** An issuer of tokens, and the settings by which a server trusts it. */
final class TestTokens {
    static final String ISSUER = "https://issuer.example";
    private static final String AUDIENCE = "confab";

    private final SigningKey key;
    private final Path directory;

    TestTokens(Path directory) throws IOException {
        this.directory = directory;
        SigningKey.Pair pair = SigningKey.make();
        key = SigningKey.read(pair.secret());
        Files.writeString(directory.resolve("public-key.pem"), pair.known());
        Files.writeString(directory.resolve("history-token"), "shown to the consumer");
    }

    /** @param more settings, {@code name=value} */
    String[] settings(String... more) {
        String[] own = {
            "chat.identity.mode=token",
            "chat.identity.public-key=" + directory.resolve("public-key.pem"),
            "chat.identity.issuer=" + ISSUER,
            "chat.server.history.token-file=" + directory.resolve("history-token")
        };
        String[] all = Arrays.copyOf(own, own.length + more.length);
        System.arraycopy(more, 0, all, own.length, more.length);
        return all;
    }

    String sign(String claims) {
        return key.sign(claims);
    }

    /** @param rooms to read and write */
    String of(int user, String... rooms) {
        return of(user, Duration.ofMinutes(10), List.of(), List.of(rooms));
    }

    String of(int user, Duration lifetime, List<String> join, List<String> write) {
        return named("guest" + user, user, lifetime, join, write);
    }

    /** It ended a second more than the leeway ago. */
    String expired(int user) {
        return sign(claims("guest" + user, user, List.of(), List.of("*"))
                .json(Instant.now().minusSeconds(661), Duration.ofMinutes(10)));
    }

    String named(String name, int user, Duration lifetime, List<String> join, List<String> write) {
        return sign(claims(name, user, join, write).json(Instant.now(), lifetime));
    }

    private static Claims claims(String name, int user, List<String> join, List<String> write) {
        return new Claims(ISSUER, AUDIENCE, Integer.toString(user), null, name, join, write, List.of());
    }

    static String frame(String token) {
        return "{\"messageType\":\"TOKEN\",\"token\":\"" + token + "\"}";
    }
}

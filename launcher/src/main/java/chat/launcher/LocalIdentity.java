package chat.launcher;

import chat.kit.identity.Claims;
import chat.kit.identity.SigningKey;
import chat.launcher.platform.Platform;
import chat.launcher.platform.StartFailure;
import chat.nodes.Private;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Issues tokens for trials, with a signing key in the data directory that only this user may read. */
final class LocalIdentity {
    static final String DATA = "identity";
    /** Validity of the token with which chat servers read history; each start issues a new one. */
    private static final Duration SERVICE_TOKEN = Duration.ofDays(365);

    private final Path home;
    private final Path directory;

    /** @param home the directory of {@code --dir} */
    LocalIdentity(Path home) {
        this.home = home;
        this.directory = home.resolve(DATA);
    }

    private Path signingKey() {
        return directory.resolve("signing-key.pem");
    }

    private Path publicKey() {
        return directory.resolve("public-key.pem");
    }

    private Path historyToken() {
        return directory.resolve("history-token");
    }

    /**
     * Creates the keys if they do not exist, and a new history token.
     *
     * @return environment variables for the programs
     */
    Map<String, String> prepare() {
        try {
            Files.createDirectories(directory);
            if (!Files.exists(signingKey())) {
                SigningKey.Pair pair = SigningKey.make();
                Files.writeString(publicKey(), pair.known());
                Private.write(signingKey(), pair.secret());
            }
            Files.deleteIfExists(historyToken());
            Private.write(
                    historyToken(),
                    token(
                            Claims.local("chat-servers", null, null, List.of(), List.of(), List.of("analyst")),
                            SERVICE_TOKEN));
        } catch (IOException failure) {
            throw new StartFailure("cannot write to " + directory + ": " + failure.getMessage());
        }
        return Map.of(
                "CHAT_IDENTITY",
                "token",
                "CHAT_IDENTITY_PUBLIC_KEY",
                publicKey().toString(),
                "CHAT_IDENTITY_ALGORITHM",
                "ES256",
                "CHAT_IDENTITY_ISSUER",
                Claims.LOCAL_ISSUER,
                "CHAT_IDENTITY_AUDIENCE",
                Claims.LOCAL_AUDIENCE,
                "CHAT_HISTORY_TOKEN_FILE",
                historyToken().toString());
    }

    /** Returns a token that is valid from now for the given time. */
    String token(Claims claims, Duration lifetime) {
        try {
            return SigningKey.read(Files.readString(signingKey())).sign(claims.json(Instant.now(), lifetime));
        } catch (IOException unreadable) {
            throw new StartFailure(
                    "there is no key in " + directory + ": ./run --tokens" + Platform.dir(home) + " makes one");
        }
    }
}

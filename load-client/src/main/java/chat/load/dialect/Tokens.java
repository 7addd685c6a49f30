package chat.load.dialect;

import chat.kit.identity.Claims;
import chat.kit.identity.SigningKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Signs tokens for members, like the issuer of {@code ./run --tokens}. They are valid for longer than a run, so none
 * is renewed. Thread-safe.
 */
public final class Tokens {
    private static final Duration LIFETIME = Duration.ofDays(1);

    private final SigningKey key;

    /** @param pem an EC private key; {@code ./run --tokens} stores it as {@code identity/signing-key.pem} */
    public Tokens(String pem) {
        this.key = SigningKey.read(pem);
    }

    /** Valid for all rooms. */
    String of(Identity member) {
        return sign(member.userId(), member.username(), List.of("*"), List.of());
    }

    /** Allows reading stored messages. */
    public String ofAnalyst() {
        return sign("load", null, List.of(), List.of("analyst"));
    }

    private String sign(String userId, @Nullable String username, List<String> rooms, List<String> roles) {
        return key.sign(
                Claims.local(userId, null, username, List.of(), rooms, roles).json(Instant.now(), LIFETIME));
    }
}

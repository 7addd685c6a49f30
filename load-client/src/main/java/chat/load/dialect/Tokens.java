package chat.load.dialect;

import chat.kit.identity.Claims;
import chat.kit.identity.SigningKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Signs tokens for members, as the issuer of {@code ./run --tokens} would. They outlast a run: none is renewed.
 * Thread-safe.
 */
public final class Tokens {
    private static final Duration LIFETIME = Duration.ofDays(1);

    private final SigningKey key;

    /** @param pem the private half of an EC key; {@code ./run --tokens} keeps it as {@code identity/signing-key.pem} */
    public Tokens(String pem) {
        this.key = SigningKey.read(pem);
    }

    /** For all rooms. */
    String of(Identity member) {
        return sign(member.userId(), member.username(), List.of("*"), List.of());
    }

    /** For reading back what was stored. */
    public String ofAnalyst() {
        return sign("load", null, List.of(), List.of("analyst"));
    }

    private String sign(String userId, @Nullable String username, List<String> rooms, List<String> roles) {
        return key.sign(
                Claims.local(userId, null, username, List.of(), rooms, roles).json(Instant.now(), LIFETIME));
    }
}

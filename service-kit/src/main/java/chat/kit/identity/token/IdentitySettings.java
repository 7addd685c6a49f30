package chat.kit.identity.token;

import chat.kit.identity.RoomPatterns;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configures authentication; all programs have the same settings, with defaults in their YAML.
 *
 * @param mode there is no default: whoever starts a server says whom it lets in
 * @param publicKey PEM file with the key that tokens are signed with; empty: {@code jwksUri} is asked
 * @param jwksUri where the issuer publishes its keys; empty: {@code publicKey} is used
 * @param algorithm the one by which tokens are signed
 * @param issuer what {@code iss} must be
 * @param audience what {@code aud} must hold
 * @param leeway how long a token still counts after its end, and does before its beginning, as clocks differ: 0 to 60 s
 * @param userClaim that names the user
 * @param nameClaim with the name that others see
 * @param usernameClaim with the username, which counts if it has 3 to 20 letters and digits
 * @param roomsClaim that says which rooms are allowed
 * @param rolesClaim that says what may be asked over REST
 * @param publicRooms patterns of rooms for everybody who has a token
 * @param maxTokenBytes of one token, 256 to 8,192
 */
@ConfigurationProperties("chat.identity")
public record IdentitySettings(
        @Nullable Mode mode,
        @DefaultValue("") String publicKey,
        @DefaultValue("") String jwksUri,
        @DefaultValue("ES256") Algorithm algorithm,
        @DefaultValue("") String issuer,
        @DefaultValue("confab") String audience,
        @DefaultValue("60s") Duration leeway,
        @DefaultValue("sub") String userClaim,
        @DefaultValue("name") String nameClaim,
        @DefaultValue("preferred_username") String usernameClaim,
        @DefaultValue("rooms") String roomsClaim,
        @DefaultValue("roles") String rolesClaim,
        @DefaultValue({}) List<String> publicRooms,
        @DefaultValue("6144") int maxTokenBytes) {

    /** Which clients the server admits. */
    public enum Mode {
        /** All clients, under any name, in every room: for trials, and behind a proxy that authenticates clients. */
        OPEN,
        /** Clients with a token of the issuer. */
        TOKEN
    }

    /** Signature algorithms. The server accepts only the configured one. */
    public enum Algorithm {
        RS256,
        ES256
    }

    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    public IdentitySettings {
        if (mode == null)
            throw new IllegalArgumentException(
                    "nobody has said who is let in: set CHAT_IDENTITY=token and the issuer's key, see docs/guide/identity.md; or"
                            + " CHAT_IDENTITY=open, and everybody who reaches the server may speak under any name and read"
                            + " every room");
        RoomPatterns unused = RoomPatterns.of(publicRooms);
        if (leeway.isNegative() || leeway.compareTo(Duration.ofSeconds(60)) > 0)
            throw new IllegalArgumentException("leeway must be 0s to 60s");
        if (maxTokenBytes < 256 || maxTokenBytes > 8192)
            throw new IllegalArgumentException("max-token-bytes must be 256 to 8192");
        for (String claim : List.of(userClaim, nameClaim, usernameClaim, roomsClaim, rolesClaim))
            if (claim.isBlank()) throw new IllegalArgumentException("the names of claims must not be empty");
        if (mode == Mode.TOKEN) {
            if (publicKey.isEmpty() == jwksUri.isEmpty())
                throw new IllegalArgumentException(
                        "to check tokens, give either public-key (CHAT_IDENTITY_PUBLIC_KEY, a PEM file) or jwks-uri"
                                + " (CHAT_IDENTITY_JWKS_URI)");
            if (issuer.isEmpty() || audience.isEmpty())
                throw new IllegalArgumentException(
                        "issuer (CHAT_IDENTITY_ISSUER) and audience (CHAT_IDENTITY_AUDIENCE) must be given, so that a token"
                                + " for another service is not accepted");
            if (!jwksUri.isEmpty()) checkKeysAreSafe(jwksUri);
        }
    }

    private static void checkKeysAreSafe(String address) {
        URI uri = URI.create(address);
        boolean near = uri.getHost() != null && LOOPBACK.contains(uri.getHost());
        if (!"https".equals(uri.getScheme()) && !("http".equals(uri.getScheme()) && near))
            throw new IllegalArgumentException(
                    "jwks-uri must be https://…: an attacker who can change the keys in transit can impersonate every user");
    }

    public boolean isOpen() {
        return mode == Mode.OPEN;
    }
}

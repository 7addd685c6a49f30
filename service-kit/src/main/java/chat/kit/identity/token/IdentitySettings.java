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
 * @param mode {@code token} or {@code open}; required
 * @param publicKey PEM file of the issuer's public key; set this or {@code jwks-uri}
 * @param jwksUri URI of the issuer's key set; set this or {@code public-key}
 * @param algorithm accepted signature algorithm: {@code ES256} or {@code RS256}
 * @param issuer required value of {@code iss}
 * @param audience required value in {@code aud}
 * @param leeway clock tolerance, 0 to 60 s
 * @param userClaim claim with the user id
 * @param nameClaim claim with the display name
 * @param usernameClaim claim with the username
 * @param roomsClaim claim with the allowed rooms
 * @param rolesClaim claim with the roles for REST
 * @param publicRooms rooms that every token allows
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
        @DefaultValue({}) List<String> publicRooms) {

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
                    "mode is not set: set CHAT_IDENTITY=token and the issuer's key, see docs/guide/identity.md; or"
                            + " CHAT_IDENTITY=open: then any client may send under any name and read every room");
        RoomPatterns unused = RoomPatterns.of(publicRooms);
        if (leeway.isNegative() || leeway.compareTo(Duration.ofSeconds(60)) > 0)
            throw new IllegalArgumentException("leeway must be 0s to 60s");
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

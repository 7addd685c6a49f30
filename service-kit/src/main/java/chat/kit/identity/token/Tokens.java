package chat.kit.identity.token;

import chat.kit.identity.Identity;
import chat.kit.identity.Role;
import chat.kit.identity.RoomPatterns;
import chat.kit.identity.RoomRights;
import chat.kit.identity.token.TokenRejected.Reason;
import chat.protocol.DisplayName;
import chat.protocol.Member;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.proc.SingleKeyJWSKeySelector;
import com.nimbusds.jwt.proc.ConfigurableJWTProcessor;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.net.URI;
import java.nio.file.Path;
import java.security.PublicKey;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.NimbusReactiveJwtDecoder;
import org.springframework.security.oauth2.jwt.ReactiveJwtDecoder;
import reactor.core.publisher.Mono;

/**
 * Verifies tokens and converts them to {@link Identity}. Accepts only the configured algorithm, and ignores locations
 * of keys in a token (jku, x5u, jwk, x5c). Thread-safe.
 */
public final class Tokens {
    /** Limit of one token: it must fit, with the other headers, into the 8 KB of a request. */
    private static final int MAX_BYTES = 6144;

    private final IdentitySettings settings;
    private final ReactiveJwtDecoder decoder;
    private final RoomPatterns publicRooms;
    private final Clock clock;
    private final @Nullable PublishedKeys published;

    private Tokens(
            IdentitySettings settings, ReactiveJwtDecoder decoder, Clock clock, @Nullable PublishedKeys published) {
        this.settings = settings;
        this.decoder = decoder;
        this.publicRooms = RoomPatterns.of(settings.publicRooms());
        this.clock = clock;
        this.published = published;
    }

    /** The issuer's published keys; null if the key is from a file. */
    @Nullable
    PublishedKeys published() {
        return published;
    }

    /** @throws IllegalArgumentException if the key does not suit the algorithm */
    public static Tokens by(IdentitySettings settings, Clock clock) {
        if (settings.publicKey().isEmpty())
            return by(settings, PublishedKeys.at(URI.create(settings.jwksUri())), clock, System::nanoTime);
        PublicKey key = PublicKeys.read(Path.of(settings.publicKey()), settings.algorithm());
        return new Tokens(settings, decoder(key, settings.algorithm()), clock, null);
    }

    static Tokens by(IdentitySettings settings, PublishedKeys.Source source, Clock clock, LongSupplier nanoClock) {
        PublishedKeys keys = new PublishedKeys(source, nanoClock);
        NimbusReactiveJwtDecoder decoder = NimbusReactiveJwtDecoder.withJwkSource(keys::candidates)
                .jwsAlgorithm(signedBy(settings.algorithm()))
                .jwtProcessorCustomizer(Tokens::leaveClaimsToUs)
                .build();
        return new Tokens(settings, unvalidated(decoder), clock, keys);
    }

    /** Does not use {@code withPublicKey}, which supports only RSA. */
    private static ReactiveJwtDecoder decoder(PublicKey key, IdentitySettings.Algorithm algorithm) {
        DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
        processor.setJWSKeySelector(new SingleKeyJWSKeySelector<>(JWSAlgorithm.parse(algorithm.name()), key));
        leaveClaimsToUs(processor);
        return unvalidated(new NimbusReactiveJwtDecoder(jwt -> Mono.fromCallable(() -> processor.process(jwt, null))));
    }

    private static SignatureAlgorithm signedBy(IdentitySettings.Algorithm algorithm) {
        return switch (algorithm) {
            case RS256 -> SignatureAlgorithm.RS256;
            case ES256 -> SignatureAlgorithm.ES256;
        };
    }

    /** Accepts access tokens with their own type (RFC 9068), JWTs, and tokens without a type. */
    private static <C extends SecurityContext> void leaveClaimsToUs(ConfigurableJWTProcessor<C> processor) {
        processor.setJWSTypeVerifier(
                new DefaultJOSEObjectTypeVerifier<>(JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
        processor.setJWTClaimsSetVerifier((claims, context) -> {});
    }

    private static ReactiveJwtDecoder unvalidated(NimbusReactiveJwtDecoder decoder) {
        decoder.setJwtValidator(jwt -> OAuth2TokenValidatorResult.success());
        return decoder;
    }

    /**
     * Verifies a token. Fails only with {@link TokenRejected}. May complete on another thread if the issuer publishes
     * its keys.
     */
    public Mono<Identity> read(String token) {
        if (token.length() > MAX_BYTES || token.isEmpty())
            return Mono.error(new TokenRejected(Reason.MALFORMED, "the token is empty or too long"));
        return decoder.decode(token).onErrorMap(Tokens::refused).flatMap(this::identity);
    }

    private static Throwable refused(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause())
            if (cause instanceof TokenRejected known) return known;
        return new TokenRejected(Reason.SIGNATURE, "the token is not signed with the issuer's key");
    }

    private Mono<Identity> identity(Jwt token) {
        try {
            return Mono.just(checked(token));
        } catch (TokenRejected refused) {
            return Mono.error(refused);
        } catch (RuntimeException strange) { // times out of range, numbers instead of names
            return Mono.error(new TokenRejected(Reason.CLAIMS, "the token's claims have a wrong form"));
        }
    }

    private Identity checked(Jwt token) throws TokenRejected {
        Instant now = clock.instant();
        Instant end = token.getExpiresAt();
        if (end == null) throw new TokenRejected(Reason.EXPIRED, "the token has no expiry (exp)");
        Instant validUntil = end.plus(settings.leeway());
        if (!now.isBefore(validUntil)) throw new TokenRejected(Reason.EXPIRED, "the token has expired");
        Instant begin = token.getNotBefore();
        if (begin != null && now.plus(settings.leeway()).isBefore(begin))
            throw new TokenRejected(Reason.NOT_YET_VALID, "the token is not valid yet (nbf)");
        if (!settings.issuer().equals(token.getClaims().get("iss")))
            throw new TokenRejected(Reason.ISSUER, "the token is from another issuer (iss)");
        List<String> audience = token.getAudience();
        if (audience == null || !audience.contains(settings.audience()))
            throw new TokenRejected(Reason.AUDIENCE, "the token is for another service (aud)");
        String user = user(token.getClaims().get(settings.userClaim()));
        if (user == null)
            throw new TokenRejected(
                    Reason.USER, "the token's " + settings.userClaim() + " must be " + Member.USER_ID_RULE);
        String username = username(token, user);
        return new Identity(
                user,
                username,
                displayName(token, user, username),
                rooms(token),
                Role.highest(names(token.getClaims().get(settings.rolesClaim()))),
                end,
                validUntil);
    }

    /** Converts numeric user ids to text. */
    private static @Nullable String user(@Nullable Object claim) {
        String user = claim instanceof Long || claim instanceof Integer ? claim.toString() : "";
        if (claim instanceof String text) user = text;
        return Member.isUserId(user) ? user : null;
    }

    /** Returns the token's username if it is valid (3 to 20 letters and digits), else one derived from the id. */
    private String username(Jwt token, String user) {
        return token.getClaims().get(settings.usernameClaim()) instanceof String name && Member.isUsername(name)
                ? name
                : Member.derivedUsername(user);
    }

    /**
     * Returns the issuer's name for the user. Rejects the token if the name is invalid. Without a name, returns the
     * first valid one of preferred username, id and derived username.
     */
    private String displayName(Jwt token, String user, String username) throws TokenRejected {
        Object claim = token.getClaims().get(settings.nameClaim());
        if (claim != null && !(claim instanceof String))
            throw new TokenRejected(Reason.NAME, "the token's " + settings.nameClaim() + " must be a string");
        if (claim instanceof String name && !name.isEmpty()) {
            String fault = DisplayName.faultOf(name);
            if (fault != null)
                throw new TokenRejected(Reason.NAME, "the token's " + settings.nameClaim() + " " + fault);
            return name;
        }
        if (token.getClaims().get(settings.usernameClaim()) instanceof String preferred
                && DisplayName.faultOf(preferred) == null) return preferred;
        return DisplayName.faultOf(user) == null ? user : username;
    }

    private RoomRights rooms(Jwt token) throws TokenRejected {
        Object claim = token.getClaims().get(settings.roomsClaim());
        if (claim instanceof Map<?, ?> named)
            return new RoomRights(
                    publicRooms, RoomPatterns.of(names(named.get("join"))), RoomPatterns.of(names(named.get("write"))));
        return new RoomRights(publicRooms, RoomPatterns.NONE, RoomPatterns.of(names(claim)));
    }

    /** Returns the strings of a claim; empty if there is no claim. */
    private static List<String> names(@Nullable Object claim) throws TokenRejected {
        if (claim == null) return List.of();
        if (!(claim instanceof List<?> all) || !all.stream().allMatch(String.class::isInstance))
            throw new TokenRejected(Reason.CLAIMS, "the token's rooms and roles must be arrays of strings");
        return all.stream().map(String.class::cast).toList();
    }
}

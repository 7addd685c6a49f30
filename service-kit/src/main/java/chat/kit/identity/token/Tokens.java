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
 * Makes an {@link Identity} of a token. The algorithm is the one that is set, whatever the token says; where a token says
 * that keys are to be found (jku, x5u, jwk, x5c) nobody looks. Thread-safe.
 */
public final class Tokens {
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

    /** Where keys come from; null where there is one, from a file. */
    @Nullable
    PublishedKeys published() {
        return published;
    }

    /** @throws IllegalArgumentException where the key is none for the algorithm */
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

    /** Not {@code withPublicKey}: it knows RSA only. */
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

    /** Access tokens may say what they are (RFC 9068), others need not. */
    private static <C extends SecurityContext> void leaveClaimsToUs(ConfigurableJWTProcessor<C> processor) {
        processor.setJWSTypeVerifier(
                new DefaultJOSEObjectTypeVerifier<>(JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
        processor.setJWTClaimsSetVerifier((claims, context) -> {});
    }

    private static ReactiveJwtDecoder unvalidated(NimbusReactiveJwtDecoder decoder) {
        decoder.setJwtValidator(jwt -> OAuth2TokenValidatorResult.success());
        return decoder;
    }

    /** Fails with {@link TokenRejected} and nothing else. Where keys are published it may complete on another thread. */
    public Mono<Identity> read(String token) {
        if (token.length() > settings.maxTokenBytes() || token.isEmpty())
            return Mono.error(new TokenRejected(Reason.MALFORMED, "the token is empty or too long"));
        return decoder.decode(token).onErrorMap(Tokens::refused).flatMap(this::identity);
    }

    private static Throwable refused(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause())
            if (cause instanceof TokenRejected known) return known;
        return new TokenRejected(Reason.SIGNATURE, "the token is not signed by the issuer's key");
    }

    private Mono<Identity> identity(Jwt token) {
        try {
            return Mono.just(checked(token));
        } catch (TokenRejected refused) {
            return Mono.error(refused);
        } catch (RuntimeException strange) { // times beyond all years, numbers where names belong
            return Mono.error(new TokenRejected(Reason.CLAIMS, "the token's claims cannot be understood"));
        }
    }

    private Identity checked(Jwt token) throws TokenRejected {
        Instant now = clock.instant();
        Instant end = token.getExpiresAt();
        if (end == null) throw new TokenRejected(Reason.EXPIRED, "the token has no end (exp)");
        Instant validUntil = end.plus(settings.leeway());
        if (!now.isBefore(validUntil)) throw new TokenRejected(Reason.EXPIRED, "the token has expired");
        Instant begin = token.getNotBefore();
        if (begin != null && now.plus(settings.leeway()).isBefore(begin))
            throw new TokenRejected(Reason.NOT_YET_VALID, "the token does not hold yet (nbf)");
        if (!settings.issuer().equals(token.getClaims().get("iss")))
            throw new TokenRejected(Reason.ISSUER, "the token is of another issuer (iss)");
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

    /** Ids that are numbers elsewhere are names here. */
    private static @Nullable String user(@Nullable Object claim) {
        String user = claim instanceof Long || claim instanceof Integer ? claim.toString() : "";
        if (claim instanceof String text) user = text;
        return Member.isUserId(user) ? user : null;
    }

    /** The token's where it fits, else one of the id's: other parts know users by 3 to 20 letters and digits. */
    private String username(Jwt token, String user) {
        return token.getClaims().get(settings.usernameClaim()) instanceof String name && Member.isUsername(name)
                ? name
                : Member.derivedUsername(user);
    }

    /**
     * The issuer's name for the user. A name that does not fit refuses the token, since the server has no other to show.
     * Without a name it is the first of preferred username, id and derived username that fits.
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

    /** Of an array of strings; of none where there is no claim. */
    private static List<String> names(@Nullable Object claim) throws TokenRejected {
        if (claim == null) return List.of();
        if (!(claim instanceof List<?> all) || !all.stream().allMatch(String.class::isInstance))
            throw new TokenRejected(Reason.CLAIMS, "the token's rooms and roles must be arrays of strings");
        return all.stream().map(String.class::cast).toList();
    }
}

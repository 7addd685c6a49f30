package chat.kit.identity.token;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tests keys that the issuer publishes and rotates. */
class PublishedKeysTest {
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger asked = new AtomicInteger();
    private final ECKey first = key("first");
    private final ECKey second = key("second");
    private volatile @Nullable JWKSet published = new JWKSet(first.toPublicJWK());

    private final Tokens tokens = Tokens.by(
            new IdentitySettings(
                    IdentitySettings.Mode.TOKEN,
                    "",
                    "https://issuer.example/keys",
                    IdentitySettings.Algorithm.ES256,
                    Forge.ISSUER,
                    Forge.AUDIENCE,
                    Duration.ofSeconds(60),
                    "sub",
                    "name",
                    "preferred_username",
                    "rooms",
                    "roles",
                    List.of()),
            () -> {
                asked.incrementAndGet();
                JWKSet keys = published;
                if (keys == null) throw new IOException("the issuer is away");
                return keys.toString();
            },
            Clock.fixed(Forge.NOW, ZoneOffset.UTC),
            nanos::get);

    private static ECKey key(String name) {
        try {
            return new ECKeyGenerator(Curve.P_256).keyID(name).generate();
        } catch (JOSEException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static String signed(ECKey key) throws Exception {
        JWSObject token = new JWSObject(
                new JWSHeader.Builder(JWSAlgorithm.ES256).keyID(key.getKeyID()).build(), new Payload(Forge.claims()));
        token.sign(new ECDSASigner(key));
        return token.serialize();
    }

    private String outcome(String token) {
        return String.valueOf(tokens.read(token)
                .map(identity -> identity.userId())
                .onErrorResume(
                        TokenRejected.class,
                        refused -> Mono.just(refused.reason().toString()))
                .block());
    }

    @Test
    void concurrentTokensFetchTheKeysOnce() throws Exception {
        String token = signed(first);
        assertThat(Flux.range(0, 50)
                        .flatMap(i -> tokens.read(token), 50)
                        .collectList()
                        .block())
                .hasSize(50);
        assertThat(asked).hasValue(1);
    }

    @Test
    void newKeyIsFetchedAndForgedKeyIdsAreRateLimited() throws Exception {
        assertThat(outcome(signed(first))).isEqualTo("42");
        published = new JWKSet(List.of(first.toPublicJWK(), second.toPublicJWK()));
        nanos.addAndGet(Duration.ofSeconds(16).toNanos());
        assertThat(outcome(signed(second))).isEqualTo("42");
        assertThat(asked).hasValue(2);
        for (int i = 0; i < 100; i++)
            assertThat(outcome(signed(key("made-up-" + i)))).isEqualTo("SIGNATURE");
        assertThat(asked).hasValue(2);
    }

    @Test
    void lastKeysAreUsedWhileTheIssuerIsUnavailable() throws Exception {
        assertThat(outcome(signed(first))).isEqualTo("42");
        published = null;
        nanos.addAndGet(Duration.ofHours(1).toNanos());
        assertThat(outcome(signed(first))).isEqualTo("42");
        assertThat(asked).hasValue(2);
    }

    @Test
    void ageOfKeysAndFailuresAreMeasured() throws Exception {
        PublishedKeys keys = Objects.requireNonNull(tokens.published());
        assertThat(keys.ageSeconds()).isZero();
        assertThat(outcome(signed(first))).isEqualTo("42");
        published = null;
        nanos.addAndGet(Duration.ofMinutes(20).toNanos());
        assertThat(outcome(signed(first))).isEqualTo("42");
        assertThat(keys.ageSeconds()).isEqualTo(1_200);
        assertThat(keys.failures()).isEqualTo(1);
        published = new JWKSet(first.toPublicJWK());
        nanos.addAndGet(Duration.ofMinutes(6).toNanos());
        assertThat(outcome(signed(first))).isEqualTo("42");
        assertThat(keys.ageSeconds()).isZero();
        assertThat(keys.failures()).isEqualTo(1);
    }

    @Test
    void tokenIsNotBlamedWhileKeysAreUnavailable() throws Exception {
        published = null;
        assertThat(outcome(signed(first))).isEqualTo("KEYS_UNAVAILABLE");
    }

    @Test
    void withdrawnKeyIsRejected() throws Exception {
        assertThat(outcome(signed(first))).isEqualTo("42");
        published = new JWKSet(second.toPublicJWK());
        nanos.addAndGet(Duration.ofMinutes(6).toNanos());
        assertThat(outcome(signed(first))).isEqualTo("SIGNATURE");
    }
}

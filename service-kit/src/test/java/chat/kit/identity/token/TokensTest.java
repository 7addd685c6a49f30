package chat.kit.identity.token;

import static chat.kit.identity.token.Forge.NOW;
import static chat.kit.identity.token.Forge.claims;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.kit.identity.Identity;
import chat.kit.identity.Role;
import chat.kit.identity.SigningKey;
import chat.kit.identity.token.IdentitySettings.Algorithm;
import chat.kit.identity.token.IdentitySettings.Mode;
import chat.kit.identity.token.TokenRejected.Reason;
import chat.protocol.Member;
import chat.protocol.RoomId;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Exceptions;

/** Tests valid tokens and the known attacks on tokens. */
class TokensTest {
    private static final Forge FORGE = new Forge();
    private static final Duration LEEWAY = Duration.ofSeconds(60);

    @TempDir
    static Path directory;

    private static Tokens tokens;

    @BeforeAll
    static void readTheKey() throws Exception {
        Path key = Files.writeString(directory.resolve("key.pem"), FORGE.pair.known());
        tokens = Tokens.by(settings(key), Clock.fixed(NOW, ZoneOffset.UTC));
    }

    private static IdentitySettings settings(Path key) {
        return new IdentitySettings(
                Mode.TOKEN,
                key.toString(),
                "",
                Algorithm.ES256,
                Forge.ISSUER,
                Forge.AUDIENCE,
                LEEWAY,
                "sub",
                "name",
                "preferred_username",
                "rooms",
                "roles",
                List.of("public-*"));
    }

    private static Identity read(String token) {
        Identity identity = tokens.read(token).block();
        if (identity == null) throw new AssertionError("nobody");
        return identity;
    }

    /** Returns null if the token is accepted. */
    private static @Nullable Reason refusal(String token) {
        try {
            Identity unused = read(token);
            return null;
        } catch (RuntimeException wrapped) {
            assertThat(Exceptions.unwrap(wrapped)).isInstanceOf(TokenRejected.class);
            TokenRejected refused = (TokenRejected) Exceptions.unwrap(wrapped);
            if (!token.isEmpty()) assertThat(refused.getMessage()).doesNotContain(token);
            return refused.reason();
        }
    }

    @Test
    void validTokenGivesIdentityRoomsAndExpiry() {
        Identity identity = read(FORGE.sign(claims(
                "name",
                "Alice Example",
                "preferred_username",
                "alice42",
                "rooms",
                Map.of("join", List.of("news"), "write", List.of("team-*")),
                "roles",
                List.of("analyst"))));
        assertThat(identity.userId()).isEqualTo("42");
        assertThat(identity.username()).isEqualTo("alice42");
        assertThat(identity.displayName()).isEqualTo("Alice Example");
        assertThat(identity.role()).isEqualTo(Role.ANALYST);
        assertThat(identity.expiresAt()).isEqualTo(NOW.plusSeconds(600));
        assertThat(identity.validUntil()).isEqualTo(NOW.plusSeconds(660));
        assertThat(identity.rooms().mayWrite(new RoomId("team-a"))).isTrue();
        assertThat(identity.rooms().mayJoin(new RoomId("news"))).isTrue();
        assertThat(identity.rooms().mayWrite(new RoomId("news"))).isFalse();
        assertThat(identity.rooms().mayWrite(new RoomId("public-1"))).isTrue();
        assertThat(identity.rooms().mayJoin(new RoomId("other"))).isFalse();
    }

    @Test
    void roomsAsAListAreReadableAndWritable() {
        Identity identity = read(FORGE.sign(claims("rooms", List.of("lobby"))));
        assertThat(identity.rooms().mayWrite(new RoomId("lobby"))).isTrue();
        assertThat(identity.rooms().mayJoin(new RoomId("lobby2"))).isFalse();
    }

    @Test
    void tokenWithoutRoomsAllowsOnlyPublicRooms() {
        Identity identity = read(FORGE.sign(claims()));
        assertThat(identity.rooms().mayJoin(new RoomId("lobby"))).isFalse();
        assertThat(identity.rooms().mayJoin(new RoomId("public-1"))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1",
                "auth0|5f7c8ec7",
                "0196f3c5-7a10-7000-8000-000000000001",
                "a.b@c.example",
                "urn:x:1",
                "https://login.example/users/7?x=1",
                "samlp|name|Alice Example",
                "1\",\"userId\":\"2",
                "1' OR 'a'='a"
            })
    void commonFormsOfUserIdsAreAccepted(String id) {
        assertThat(read(FORGE.sign(claims("sub", id))).userId()).isEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Alice Example",
                "mary-jane",
                "Zo\u00eb",
                "Al",
                "aaaaaaaaaaaaaaaaaaaaa",
                "x\"},{",
                "\u738b\u5c0f\u660e"
            })
    void tokenNameIsTheDisplayName(String name) {
        Identity identity = read(FORGE.sign(claims("name", name)));
        assertThat(identity.displayName()).isEqualTo(name);
        assertThat(identity.username()).isEqualTo(Member.derivedUsername("42"));
        Identity preferred = read(FORGE.sign(claims("name", name, "preferred_username", "mary7")));
        assertThat(preferred.displayName()).isEqualTo(name);
        assertThat(preferred.username()).isEqualTo("mary7");
    }

    @Test
    void withoutNameTheFirstOfUsernameAndIdIsTheDisplayName() {
        assertThat(read(FORGE.sign(claims("name", ""))).displayName()).isEqualTo("42");
        assertThat(read(FORGE.sign(claims())).displayName()).isEqualTo("42");
        Identity preferred = read(FORGE.sign(claims("name", "", "preferred_username", "mary-jane@example.org")));
        assertThat(preferred.displayName()).isEqualTo("mary-jane@example.org");
        assertThat(preferred.username()).isEqualTo(Member.derivedUsername("42"));
        String longId = "x".repeat(128);
        assertThat(read(FORGE.sign(claims("sub", longId))).displayName()).isEqualTo(Member.derivedUsername(longId));
    }

    @ParameterizedTest
    @CsvSource({
        "'   ', name must contain at least one visible character",
        "a\u202eb, name must not contain bidirectional overrides",
        "'a\nb', name must not contain control characters",
        "Zoe\u0308, name must be in Unicode form NFC",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, 'name must be 1 to 64 characters, not 65'"
    })
    void tokenWithAnInvalidNameIsRejectedWithTheReason(String name, String why) {
        assertThatThrownBy(() -> read(FORGE.sign(claims("name", name))))
                .satisfies(wrapped -> assertThat(Exceptions.unwrap(wrapped))
                        .isInstanceOfSatisfying(
                                TokenRejected.class,
                                refused -> assertThat(refused.reason()).isEqualTo(Reason.NAME))
                        .hasMessageContaining(why));
        assertThat(refusal(FORGE.sign(claims("name", 7)))).isEqualTo(Reason.NAME);
    }

    record Forged(String how, String token, Reason reason) {
        @Override
        public String toString() {
            return how;
        }
    }

    private static Forged forged(String how, String token, Reason reason) {
        return new Forged(how, token, reason);
    }

    static Stream<Forged> forgedTokens() throws Exception {
        String good = FORGE.sign(claims());
        String[] parts = good.split("\\.", -1);
        String other = Forge.base64(claims("sub", "1"));
        long now = NOW.getEpochSecond();
        return Stream.of(
                forged("nothing", "", Reason.MALFORMED),
                forged("no token", "hello", Reason.SIGNATURE),
                forged("two parts", parts[0] + "." + parts[1], Reason.SIGNATURE),
                forged("four parts", good + ".x", Reason.SIGNATURE),
                forged("no signature", parts[0] + "." + parts[1] + ".", Reason.SIGNATURE),
                forged("half a signature", good.substring(0, good.length() - 20), Reason.SIGNATURE),
                forged(
                        "zeros as signature (CVE-2022-21449)",
                        parts[0] + "." + parts[1] + "." + "A".repeat(86),
                        Reason.SIGNATURE),
                forged("other claims", parts[0] + "." + other + "." + parts[2], Reason.SIGNATURE),
                forged(
                        "another key",
                        SigningKey.read(SigningKey.make().secret()).sign(claims()),
                        Reason.SIGNATURE),
                forged("alg none", Forge.unsigned("{\"alg\":\"none\"}", claims()), Reason.SIGNATURE),
                forged("alg None", Forge.unsigned("{\"alg\":\"None\"}", claims()), Reason.SIGNATURE),
                forged(
                        "alg none with a signature",
                        Forge.base64("{\"alg\":\"none\"}") + "." + parts[1] + "." + parts[2],
                        Reason.SIGNATURE),
                forged("no alg", Forge.unsigned("{}", claims()), Reason.SIGNATURE),
                forged("HS256 by the public key", FORGE.macWithPublicKey(claims()), Reason.SIGNATURE),
                forged("RS256 by a key of the forger's", Forge.rsa(claims()), Reason.SIGNATURE),
                forged("ES384 in the header", FORGE.signWithHeader("{\"alg\":\"ES384\"}", claims()), Reason.SIGNATURE),
                forged(
                        "unknown crit",
                        FORGE.signWithHeader("{\"alg\":\"ES256\",\"crit\":[\"x\"],\"x\":1}", claims()),
                        Reason.SIGNATURE),
                forged(
                        "another type",
                        FORGE.signWithHeader("{\"alg\":\"ES256\",\"typ\":\"logout+jwt\"}", claims()),
                        Reason.SIGNATURE),
                forged(
                        "encrypted",
                        Forge.base64("{\"alg\":\"dir\",\"enc\":\"A128GCM\"}") + "..AAAA.AAAA.AAAA",
                        Reason.SIGNATURE),
                forged("9 KB", FORGE.sign(claims("padding", "x".repeat(9000))), Reason.MALFORMED),
                forged("expired", FORGE.sign(claims("exp", now - 60)), Reason.EXPIRED),
                forged("no end", FORGE.sign(claims("exp", null)), Reason.EXPIRED),
                forged("an end as text", FORGE.sign(claims("exp", "never")), Reason.SIGNATURE),
                forged(
                        "an end beyond all years",
                        FORGE.sign(
                                "{\"iss\":\"" + Forge.ISSUER + "\",\"aud\":\"confab\",\"sub\":\"42\",\"exp\":1e400}"),
                        Reason.SIGNATURE),
                forged("not yet", FORGE.sign(claims("nbf", now + 61)), Reason.NOT_YET_VALID),
                forged("another issuer", FORGE.sign(claims("iss", "https://issuer.example.evil")), Reason.ISSUER),
                forged("no issuer", FORGE.sign(claims("iss", null)), Reason.ISSUER),
                forged("another audience", FORGE.sign(claims("aud", "billing")), Reason.AUDIENCE),
                forged("no audience", FORGE.sign(claims("aud", null)), Reason.AUDIENCE),
                forged("nobody", FORGE.sign(claims("sub", null)), Reason.USER),
                forged("an empty user", FORGE.sign(claims("sub", "")), Reason.USER),
                forged("a long user", FORGE.sign(claims("sub", "x".repeat(129))), Reason.USER),
                forged("a line break in the user", FORGE.sign(claims("sub", "1\n2")), Reason.USER),
                forged("a user that is not ASCII", FORGE.sign(claims("sub", "zo\u00eb")), Reason.USER),
                forged("rooms as text", FORGE.sign(claims("rooms", "lobby")), Reason.CLAIMS),
                forged("rooms that are no patterns", FORGE.sign(claims("rooms", List.of("*-*"))), Reason.CLAIMS),
                forged("rooms of numbers", FORGE.sign(claims("rooms", Map.of("join", List.of(1)))), Reason.CLAIMS),
                forged("roles as text", FORGE.sign(claims("roles", "operator")), Reason.CLAIMS));
    }

    @ParameterizedTest
    @MethodSource("forgedTokens")
    void forgedTokenIsRejected(Forged forged) {
        assertThat(refusal(forged.token())).isEqualTo(forged.reason());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"kid\":\"../../../../dev/null\"",
                "\"kid\":\"x' UNION SELECT 'secret\"",
                "\"jku\":\"http://127.0.0.1:1/keys\"",
                "\"x5u\":\"http://127.0.0.1:1/certificate\"",
                "\"typ\":\"at+jwt\""
            })
    void keyLocationsInTheTokenAreIgnored(String header) throws Exception {
        // Accepted because the right key has signed it; with another key the header would not help.
        assertThat(refusal(FORGE.signWithHeader("{\"alg\":\"ES256\"," + header + "}", claims())))
                .isNull();
        String forgers = new Forge().signWithHeader("{\"alg\":\"ES256\"," + header + "}", claims());
        assertThat(refusal(forgers)).isEqualTo(Reason.SIGNATURE);
    }

    @Test
    void theForgersOwnKeyInTheHeaderIsNotUsed() throws Exception {
        ECKey own = new ECKeyGenerator(Curve.P_256).generate();
        JWSObject token = new JWSObject(
                new JWSHeader.Builder(JWSAlgorithm.ES256).jwk(own.toPublicJWK()).build(), new Payload(claims()));
        token.sign(new ECDSASigner(own));
        assertThat(refusal(token.serialize())).isEqualTo(Reason.SIGNATURE);
    }

    @ParameterizedTest
    @CsvSource({"exp, -59, true", "exp, -60, false", "nbf, 60, true", "nbf, 61, false"})
    void clockDifferenceUpToTheLeewayIsAccepted(String claim, int seconds, boolean counts) {
        String token = FORGE.sign(claims(claim, NOW.getEpochSecond() + seconds));
        assertThat(refusal(token) == null).isEqualTo(counts);
    }

    @Test
    void oneOfSeveralAudiencesIsEnough() {
        assertThat(refusal(FORGE.sign(claims("aud", List.of("billing", "confab")))))
                .isNull();
    }
}

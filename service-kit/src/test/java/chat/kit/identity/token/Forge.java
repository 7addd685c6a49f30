package chat.kit.identity.token;

import chat.kit.identity.Pem;
import chat.kit.identity.SigningKey;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Creates valid and forged tokens. */
final class Forge {
    static final String ISSUER = "https://issuer.example";
    static final String AUDIENCE = "confab";
    static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

    final SigningKey.Pair pair = SigningKey.make();
    private final SigningKey key = SigningKey.read(pair.secret());

    /** Returns the claims of a valid token with changes; null removes a claim. */
    static String claims(@Nullable Object... changes) {
        Map<String, @Nullable Object> claims = new LinkedHashMap<>();
        claims.put("iss", ISSUER);
        claims.put("aud", AUDIENCE);
        claims.put("sub", "42");
        claims.put("exp", NOW.getEpochSecond() + 600);
        for (int i = 0; i < changes.length; i += 2) {
            if (changes[i + 1] == null) claims.remove(String.valueOf(changes[i]));
            else claims.put(String.valueOf(changes[i]), changes[i + 1]);
        }
        return JsonMapper.shared().writeValueAsString(claims);
    }

    String sign(String claims) {
        return key.sign(claims);
    }

    /** Returns a token signed with the right key, but with the forger's header. */
    String signWithHeader(String header, String claims) throws GeneralSecurityException {
        String said = base64(header) + "." + base64(claims);
        PrivateKey secret = KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(Pem.decode(pair.secret(), "PRIVATE KEY")));
        Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initSign(secret);
        signature.update(said.getBytes(StandardCharsets.US_ASCII));
        return said + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(signature.sign());
    }

    static String unsigned(String header, String claims) {
        return base64(header) + "." + base64(claims) + ".";
    }

    /** The classic attack: the public key as the secret of a MAC. */
    String macWithPublicKey(String claims) throws JOSEException {
        return signed(JWSAlgorithm.HS256, new MACSigner(pair.known().getBytes(StandardCharsets.UTF_8)), claims);
    }

    static String rsa(String claims) throws JOSEException, NoSuchAlgorithmException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        KeyPair rsa = generator.generateKeyPair();
        return signed(JWSAlgorithm.RS256, new RSASSASigner(rsa.getPrivate()), claims);
    }

    private static String signed(JWSAlgorithm algorithm, JWSSigner signer, String claims) throws JOSEException {
        JWSObject token = new JWSObject(new JWSHeader(algorithm), new Payload(claims));
        token.sign(signer);
        return token.serialize();
    }

    static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}

package chat.kit.identity;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;

/**
 * Signs tokens with ES256, for trials and load tests; in production the identity provider does. Needs only the JDK.
 * Thread-safe.
 */
public final class SigningKey {
    private static final String HEADER =
            base64("{\"alg\":\"ES256\",\"typ\":\"JWT\"}".getBytes(StandardCharsets.US_ASCII));
    private static final String PRIVATE = "PRIVATE KEY";
    private static final String PUBLIC = "PUBLIC KEY";

    private final PrivateKey key;

    private SigningKey(PrivateKey key) {
        this.key = key;
    }

    /**
     * Holds both halves of a new key, in PEM.
     *
     * @param secret private key, PKCS#8, for {@link #read}
     * @param known public key, X.509, for a verifier
     */
    public record Pair(String secret, String known) {
        /** Omits the keys, because one is secret. */
        @Override
        public String toString() {
            return "Pair";
        }
    }

    public static Pair make() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair pair = generator.generateKeyPair();
            return new Pair(
                    pem(PRIVATE, pair.getPrivate().getEncoded()),
                    pem(PUBLIC, pair.getPublic().getEncoded()));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every JDK has this curve", impossible);
        }
    }

    /** @throws IllegalArgumentException if the text is not an EC private key in PEM (PKCS#8) */
    public static SigningKey read(String pem) {
        try {
            byte[] der = Pem.decode(pem, PRIVATE);
            return new SigningKey(KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der)));
        } catch (GeneralSecurityException wrong) {
            throw new IllegalArgumentException("not an EC private key in PEM (PKCS#8)", wrong);
        }
    }

    /** @param claims a JSON object */
    public String sign(String claims) {
        String content = HEADER + "." + base64(claims.getBytes(StandardCharsets.UTF_8));
        try {
            // RFC 7518 requires the two numbers concatenated, not in DER.
            Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(key);
            signature.update(content.getBytes(StandardCharsets.US_ASCII));
            return content + "." + base64(signature.sign());
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("cannot sign with this key", impossible);
        }
    }

    private static String pem(String kind, byte[] der) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + kind + "-----\n";
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}

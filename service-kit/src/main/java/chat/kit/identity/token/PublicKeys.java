package chat.kit.identity.token;

import chat.kit.identity.Pem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;

/** Reads a public key from a PEM file and checks that it suits the algorithm. */
final class PublicKeys {
    private static final int LEAST_RSA_BITS = 2048;
    private static final int P256_BITS = 256;

    private PublicKeys() {}

    /** @throws IllegalArgumentException if the file is not a suitable key; the message says why */
    static PublicKey read(Path file, IdentitySettings.Algorithm algorithm) {
        try {
            byte[] der = Pem.decode(Files.readString(file), "PUBLIC KEY");
            return switch (algorithm) {
                case RS256 -> rsa(der);
                case ES256 -> ec(der);
            };
        } catch (IOException unreadable) {
            throw new IllegalArgumentException("cannot read public-key: " + unreadable, unreadable);
        } catch (GeneralSecurityException | IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    "public-key " + file + " is not a key for " + algorithm + ": " + wrong.getMessage(), wrong);
        }
    }

    private static PublicKey rsa(byte[] der) throws GeneralSecurityException {
        RSAPublicKey key = (RSAPublicKey) KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(der));
        if (key.getModulus().bitLength() < LEAST_RSA_BITS)
            throw new IllegalArgumentException("it has fewer than " + LEAST_RSA_BITS + " bits");
        return key;
    }

    private static PublicKey ec(byte[] der) throws GeneralSecurityException {
        ECPublicKey key = (ECPublicKey) KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(der));
        if (key.getParams().getOrder().bitLength() != P256_BITS)
            throw new IllegalArgumentException("it is not on the curve P-256");
        return key;
    }
}

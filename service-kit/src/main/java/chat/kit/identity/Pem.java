package chat.kit.identity;

import java.util.Base64;

/** Decodes PEM files. */
public final class Pem {
    private Pem() {}

    /**
     * @param kind label of the block, such as {@code PUBLIC KEY}
     * @throws IllegalArgumentException if there is no such block, or it is not base 64
     */
    public static byte[] decode(String pem, String kind) {
        String begin = "-----BEGIN " + kind + "-----";
        int from = pem.indexOf(begin);
        int to = pem.indexOf("-----END " + kind + "-----");
        if (from < 0 || to < from) throw new IllegalArgumentException("it has no block " + begin);
        return Base64.getMimeDecoder().decode(pem.substring(from + begin.length(), to));
    }
}

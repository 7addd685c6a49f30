package chat.kit.identity;

import java.util.Base64;

/** The bytes between the lines of a PEM file. */
public final class Pem {
    private Pem() {}

    /**
     * @param kind what stands in the lines, such as {@code PUBLIC KEY}
     * @throws IllegalArgumentException where there is no such block, or it is not base 64
     */
    public static byte[] decode(String pem, String kind) {
        String begin = "-----BEGIN " + kind + "-----";
        int from = pem.indexOf(begin);
        int to = pem.indexOf("-----END " + kind + "-----");
        if (from < 0 || to < from) throw new IllegalArgumentException("there is no " + begin + " in it");
        return Base64.getMimeDecoder().decode(pem.substring(from + begin.length(), to));
    }
}

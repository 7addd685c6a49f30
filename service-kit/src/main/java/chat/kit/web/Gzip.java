package chat.kit.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;

/** Compresses what is in memory. */
final class Gzip {
    private Gzip() {}

    /** @param level level of {@link java.util.zip.Deflater} */
    static byte[] compress(byte[] bytes, int level) {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream(bytes.length / 2);
        try (GZIPOutputStream gzip = new Leveled(compressed, level)) {
            gzip.write(bytes);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return compressed.toByteArray();
    }

    private static final class Leveled extends GZIPOutputStream {
        Leveled(ByteArrayOutputStream to, int level) throws IOException {
            super(to);
            def.setLevel(level);
        }
    }
}

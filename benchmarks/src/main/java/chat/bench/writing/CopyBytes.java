package chat.bench.writing;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Encodes rows for {@code COPY … (FORMAT binary)}.
 *
 * @see <a href="https://www.postgresql.org/docs/current/sql-copy.html">binary format</a>
 */
final class CopyBytes {
    private static final byte[] SIGNATURE = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0};
    /** Offset from 1970 to 2000, PostgreSQL's epoch. */
    private static final long EPOCH_MILLIS = 946_684_800_000L;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 18);
    private final DataOutputStream out = new DataOutputStream(bytes);

    private interface Step {
        void run() throws IOException;
    }

    CopyBytes() {
        put(() -> {
            out.write(SIGNATURE);
            out.writeLong(0); // no flags, no extension
        });
    }

    private static void put(Step step) {
        try {
            step.run();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    void row(int columns) {
        put(() -> out.writeShort(columns));
    }

    void uuid(UUID value) {
        put(() -> {
            out.writeInt(16);
            out.writeLong(value.getMostSignificantBits());
            out.writeLong(value.getLeastSignificantBits());
        });
    }

    void int8(long value) {
        put(() -> {
            out.writeInt(8);
            out.writeLong(value);
        });
    }

    void timestamp(long millis) {
        int8((millis - EPOCH_MILLIS) * 1_000);
    }

    void int4(int value) {
        put(() -> {
            out.writeInt(4);
            out.writeInt(value);
        });
    }

    void text(String value) {
        byte[] encoded = value.getBytes(StandardCharsets.UTF_8);
        put(() -> {
            out.writeInt(encoded.length);
            out.write(encoded);
        });
    }

    void inet4(int... address) {
        put(() -> {
            out.writeInt(8);
            out.writeByte(2); // AF_INET
            out.writeByte(32); // all bits
            out.writeByte(0); // not a network
            out.writeByte(4); // bytes
            for (int part : address) out.writeByte(part);
        });
    }

    InputStream end() {
        put(() -> out.writeShort(-1));
        return new ByteArrayInputStream(bytes.toByteArray());
    }
}

package chat.nodes;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Creates secrets and files that only this user may read. */
public final class Private {
    private Private() {}

    /** Returns 128 random bits as 32 characters of {@code 0-9 a-f}. */
    public static String secret() {
        byte[] secret = new byte[16];
        new SecureRandom().nextBytes(secret);
        return HexFormat.of().formatHex(secret);
    }

    /** Creates the file with permissions for this user only. Fails if it exists. */
    public static void write(Path file, String content) throws IOException {
        // On Windows the user's directories are already private.
        FileAttribute<?>[] attributes =
                FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        Files.createFile(file, attributes);
        Files.writeString(file, content);
    }
}

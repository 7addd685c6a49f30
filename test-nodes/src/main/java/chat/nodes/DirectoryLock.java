package chat.nodes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Locks a directory for one server. The system releases the lock when the JVM ends for any reason, so a server that
 * still runs on an unlocked directory is an orphan.
 */
final class DirectoryLock implements AutoCloseable {
    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Creates the directory if necessary. Fails at once if another node, of this or another JVM, has locked it. */
    static DirectoryLock acquire(Path directory) {
        Path file = directory.resolve("lock");
        FileChannel channel = null;
        try {
            Files.createDirectories(directory);
            channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            if (!tryLock(channel)) {
                throw inUse(directory, read(channel));
            }
            channel.truncate(0);
            channel.write(
                    ByteBuffer.wrap(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)),
                    0);
            return new DirectoryLock(channel);
        } catch (IOException | NodeException e) {
            closeQuietly(channel);
            if (e instanceof NodeException known) {
                throw known;
            }
            throw new NodeException("Cannot use the directory " + directory + ": " + e, e);
        }
    }

    @Override
    public void close() {
        closeQuietly(channel);
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            // The lock is after the content: on Windows other processes cannot read locked bytes.
            FileLock lock = channel.tryLock(1L << 40, 1, false);
            return lock != null;
        } catch (OverlappingFileLockException ignored) {
            return false;
        }
    }

    private static String read(FileChannel channel) throws IOException {
        ByteBuffer content = ByteBuffer.allocate(32);
        channel.read(content, 0);
        return new String(content.array(), 0, content.position(), StandardCharsets.US_ASCII);
    }

    private static NodeException inUse(Path directory, String owner) {
        return new NodeException(directory + " is in use by process " + owner + ": stop it, or use another directory");
    }

    private static void closeQuietly(@Nullable FileChannel channel) {
        if (channel == null) {
            return;
        }
        try {
            channel.close();
        } catch (IOException ignored) {
            // Nothing was buffered, and the descriptor is closed in any case.
        }
    }
}

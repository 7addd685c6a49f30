package chat.load.report;

import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;

/**
 * Writes a CSV file with a line per message: {@code timestamp,messageType,latency,statusCode,roomId}. The timestamp
 * is the time of the answer, ISO-8601; the latency is in milliseconds; the status is 200 for accepted, 400 for
 * rejected, 503 for each attempt rejected for now. Thread-safe; a slow disk slows its callers.
 */
public final class MessageLines implements Closeable {
    private final Writer out;
    private boolean failed;

    public MessageLines(Path file) throws IOException {
        out = Files.newBufferedWriter(file);
        out.write("timestamp,messageType,latency,statusCode,roomId\n");
    }

    public synchronized void add(String messageType, long latencyNanos, int status, String roomId) {
        try {
            out.write(Instant.now() + "," + messageType + "," + String.format(Locale.ROOT, "%.3f", latencyNanos / 1e6)
                    + "," + status + "," + roomId + "\n");
        } catch (IOException full) {
            failed = true;
        }
    }

    /** @throws IOException if any line could not be written */
    @Override
    public synchronized void close() throws IOException {
        out.close();
        if (failed) throw new IOException("the list of messages is not complete");
    }
}

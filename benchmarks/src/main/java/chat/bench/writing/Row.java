package chat.bench.writing;

import java.util.UUID;

/**
 * Represents a message as a row of the table.
 *
 * @param millis milliseconds since 1970
 */
record Row(UUID id, long position, long millis, int room, int user, String username, String content) {
    static final String TYPE = "TEXT";
    static final String SERVER = "server-1-4f9c2a";
    static final String ADDRESS = "10.1.2.3";
}

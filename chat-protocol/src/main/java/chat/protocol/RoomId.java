package chat.protocol;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/** Represents the name of a room: 1 to 64 characters of {@code A-Z a-z 0-9 _ -}. */
public record RoomId(String value) implements Comparable<RoomId> {
    public static final int MAX_LENGTH = 64;
    public static final String RULE = "roomId must be 1 to 64 characters of A-Z a-z 0-9 _ -";

    public RoomId {
        if (!isValid(value)) throw new IllegalArgumentException(RULE);
    }

    public static boolean isValid(String value) {
        if (value.isEmpty() || value.length() > MAX_LENGTH) return false;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            boolean allowed =
                    (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
            if (!allowed) return false;
        }
        return true;
    }

    /**
     * Returns the partition of this room in the log: {@code crc32(roomId) mod partitions}, which a load balancer can
     * compute as well.
     */
    public int partition(int partitions) {
        CRC32 crc = new CRC32();
        crc.update(value.getBytes(StandardCharsets.US_ASCII));
        return (int) (crc.getValue() % partitions);
    }

    @Override
    public int compareTo(RoomId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}

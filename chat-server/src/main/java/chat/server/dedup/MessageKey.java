package chat.server.dedup;

import chat.log.Segment;
import chat.protocol.RoomId;
import java.security.SecureRandom;
import java.util.UUID;

/**
 * Identifies a message by 128 bits: a hash of the message id, the room and the sender. Clients choose the ids, so the
 * hash has a key that is random in each process: no client can compute a collision with another sender's id. Holds one
 * key at a time and allocates nothing. Not thread-safe.
 */
public final class MessageKey {
    private static final long KEY_0;
    private static final long KEY_1;

    static {
        SecureRandom random = new SecureRandom();
        KEY_0 = random.nextLong();
        KEY_1 = random.nextLong();
    }

    private final SipHash hash = new SipHash(KEY_0, KEY_1);

    /** The common beginning of the keys of all messages of a room. */
    public record OfRoom(long first, long second) {
        public static OfRoom of(RoomId room) {
            SipHash hash = new SipHash(KEY_0, KEY_1).start();
            hash.end(room.value());
            return new OfRoom(hash.first(), hash.second());
        }
    }

    /** Computes the key of a message of a segment. Returns this. */
    public MessageKey of(OfRoom room, Segment segment, int i) {
        start(room, segment.idHigh(i), segment.idLow(i)).end(segment.array(), segment.userStart(i), segment.userEnd(i));
        return this;
    }

    /** Computes the key of a message from its id and sender. Returns this. */
    public MessageKey of(OfRoom room, UUID id, String userId) {
        start(room, id.getMostSignificantBits(), id.getLeastSignificantBits()).end(userId);
        return this;
    }

    private SipHash start(OfRoom room, long idHigh, long idLow) {
        return hash.start().add(room.first).add(room.second).add(idHigh).add(idLow);
    }

    /** The first 64 bits of the key that was computed last. */
    public long high() {
        return hash.first();
    }

    /** The last 64 bits of the key that was computed last. */
    public long low() {
        return hash.second();
    }
}

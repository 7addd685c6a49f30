package chat.server.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.EntryBuilder;
import chat.log.EntryHeader;
import chat.log.EntryKind;
import chat.log.LogEntry;
import chat.log.OutgoingMessage;
import chat.log.Segment;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MessageKeyTest {
    private static final UUID ID = new UUID(1, 2);

    private static String hex(SipHash hash) {
        return Long.toHexString(Long.reverseBytes(hash.first())) + " "
                + Long.toHexString(Long.reverseBytes(hash.second()));
    }

    /** The first two vectors of the reference implementation, vectors.h. */
    @Test
    void sipHashGivesTheVectorsOfItsReference() {
        byte[] key = HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f");
        SipHash hash = new SipHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
        hash.start().end(key, 0, 0);
        assertThat(hex(hash)).isEqualTo("a3817f04ba25a8e6 6df67214c7550293");
        hash.start().end(key, 0, 1);
        assertThat(hex(hash)).isEqualTo("da87c1d86b99af44 347659119b22fc45");
    }

    @Test
    void textsAndBytesHaveTheSameHash() {
        SipHash hash = new SipHash(1, 2);
        for (int length = 0; length < 40; length++) {
            String text = "0123456789abcdefghijklmnopqrstuvwxyzABCD".substring(0, length);
            hash.start().add(7).end(text);
            String ofText = hex(hash);
            hash.start().add(7).end(("//" + text + "/").getBytes(StandardCharsets.US_ASCII), 2, 2 + length);
            assertThat(hex(hash)).isEqualTo(ofText);
        }
    }

    private static Segment segment(RoomId room, UUID id, String user) {
        EntryBuilder<String> entry = new EntryBuilder<>(10_000, 10);
        assertThat(entry.add(
                        new OutgoingMessage(room, id, MessageType.TEXT, user, 5, new byte[4], new byte[] {'{', '}'}),
                        ""))
                .isTrue();
        byte[] bytes = entry.encode(new EntryHeader(EntryKind.MESSAGES, 1, 0, 1, 1, "server"));
        return LogEntry.parse(bytes, 1, 0).segments().getFirst();
    }

    private static String key(MessageKey key) {
        return key.high() + " " + key.low();
    }

    @Test
    void idRoomAndSenderCountAndAKeyIsTheSameInTheLogAndBeforeIt() {
        Set<String> keys = new HashSet<>();
        for (String room : new String[] {"a", "b", "aa"})
            for (String user : new String[] {"1", "2", "11", "user-with-a-long-name"})
                for (UUID id : new UUID[] {ID, new UUID(2, 1), new UUID(0, 0)}) {
                    RoomId roomId = new RoomId(room);
                    MessageKey.OfRoom ofRoom = MessageKey.OfRoom.of(roomId);
                    String key = key(new MessageKey().of(ofRoom, id, user));
                    assertThat(key(new MessageKey().of(ofRoom, segment(roomId, id, user), 0)))
                            .isEqualTo(key);
                    assertThat(keys.add(key)).isTrue();
                }
    }

    @Test
    void nothingIsAllocated() {
        RoomId room = new RoomId("room");
        Segment segment = segment(room, ID, "12345");
        MessageKey.OfRoom ofRoom = MessageKey.OfRoom.of(room);
        MessageKey key = new MessageKey();
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long sum = key.of(ofRoom, segment, 0).high();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 1000; i++) sum += key.of(ofRoom, segment, 0).low();
        long after = threads.getCurrentThreadAllocatedBytes();
        assertThat(sum).isNotZero();
        // Not one object per key; the code may be linked on the way.
        assertThat(after - before).isLessThan(16 * 1000);
    }
}

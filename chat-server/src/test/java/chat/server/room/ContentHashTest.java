package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.protocol.ChatMessage;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ContentHashTest {
    private static final UUID ID = new UUID(1, 2);
    private static final Member ANNA = new Member("1", "anna");

    private static long hash(String room, Member member, MessageType type, @Nullable String text, long timestamp) {
        byte[] json = MessageJson.encode(new ChatMessage(ID, member, type, text, timestamp));
        return ContentHash.of(ContentHash.ofRoom(new RoomId(room)), json, 0, json.length);
    }

    @Test
    void theTimeOfIntakeDoesNotCount() {
        long first = hash("a", ANNA, MessageType.TEXT, "one, two, \"timestamp\":3", 1);
        assertThat(hash("a", ANNA, MessageType.TEXT, "one, two, \"timestamp\":3", 1_763_632_800_123L))
                .isEqualTo(first);
    }

    @Test
    void everythingElseCounts() {
        Set<Long> hashes = new HashSet<>();
        assertThat(hashes.add(hash("a", ANNA, MessageType.TEXT, "one", 1))).isTrue();
        assertThat(hashes.add(hash("b", ANNA, MessageType.TEXT, "one", 1))).isTrue();
        assertThat(hashes.add(hash("aa", ANNA, MessageType.TEXT, "one", 1))).isTrue();
        assertThat(hashes.add(hash("a", new Member("2", "anna"), MessageType.TEXT, "one", 1)))
                .isTrue();
        assertThat(hashes.add(hash("a", new Member("1", "bert"), MessageType.TEXT, "one", 1)))
                .isTrue();
        assertThat(hashes.add(hash("a", ANNA, MessageType.TEXT, "One", 1))).isTrue();
        assertThat(hashes.add(hash("a", ANNA, MessageType.TEXT, "one,", 1))).isTrue();
        assertThat(hashes.add(hash("a", ANNA, MessageType.JOIN, null, 1))).isTrue();
        assertThat(hashes.add(hash("a", ANNA, MessageType.LEAVE, null, 1))).isTrue();
    }

    @Test
    void everyByteOfEveryLengthCounts() {
        Set<Long> hashes = new HashSet<>();
        for (int length = 1; length < 40; length++) {
            assertThat(hashes.add(hash("a", ANNA, MessageType.TEXT, "\0".repeat(length), 1)))
                    .isTrue();
            for (int at = 0; at < length; at++) {
                StringBuilder text = new StringBuilder("x".repeat(length));
                for (char c = 'a'; c < 'x'; c++) {
                    text.setCharAt(at, c);
                    assertThat(hashes.add(hash("a", ANNA, MessageType.TEXT, text.toString(), 1)))
                            .as("%s", text)
                            .isTrue();
                }
            }
        }
    }

    @Test
    void itIsTheSameWhereverInAnArrayTheMessageStands() {
        byte[] json = MessageJson.encode(new ChatMessage(ID, ANNA, MessageType.TEXT, "somewhere", 5));
        byte[] among = new byte[json.length + 20];
        java.util.Arrays.fill(among, (byte) ',');
        for (int at = 0; at <= 20; at++) {
            System.arraycopy(json, 0, among, at, json.length);
            assertThat(ContentHash.of(7, among, at, at + json.length))
                    .isEqualTo(ContentHash.of(7, json, 0, json.length));
        }
    }

    @Test
    void whatIsNoMessageIsHashedAllTheSame() {
        for (String foreign : new String[] {"{}", "[]", "{\"a\":1}", ",,"}) {
            byte[] bytes = foreign.getBytes(StandardCharsets.UTF_8);
            assertThat(ContentHash.of(7, bytes, 0, bytes.length)).isEqualTo(ContentHash.of(7, bytes, 0, bytes.length));
        }
    }

    @Test
    void nothingIsAllocated() {
        byte[] json = MessageJson.encode(new ChatMessage(ID, ANNA, MessageType.TEXT, "x".repeat(400), 5));
        RoomId room = new RoomId("room");
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long hash = ContentHash.of(ContentHash.ofRoom(room), json, 0, json.length);
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 1000; i++) hash ^= ContentHash.of(ContentHash.ofRoom(room), json, 0, json.length);
        long after = threads.getCurrentThreadAllocatedBytes();
        assertThat(hash).isNotZero();
        // Not one object per hash; the code may be linked on the way.
        assertThat(after - before).isLessThan(16 * 1000);
    }
}

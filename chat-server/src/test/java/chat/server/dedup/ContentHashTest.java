package chat.server.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import chat.protocol.ChatMessage;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
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

    private static long hash(Member member, MessageType type, @Nullable String text, long timestamp) {
        byte[] json = MessageJson.encode(new ChatMessage(ID, member, type, text, timestamp));
        return ContentHash.of(type, timestamp, json, 0, json.length);
    }

    @Test
    void timeOfIntakeAndNameOfATextDoNotCount() {
        String text = "one, two, \"timestamp\":3,\"message\":\"\\";
        long first = hash(ANNA, MessageType.TEXT, text, 1);
        assertThat(hash(new Member("1", "another name"), MessageType.TEXT, text, 1_763_632_800_123L))
                .isEqualTo(first);
    }

    @Test
    void typeAndTextCountAndTheTimeOfAJoinOrLeave() {
        Set<Long> hashes = new HashSet<>();
        assertThat(hashes.add(hash(ANNA, MessageType.TEXT, "one", 1))).isTrue();
        assertThat(hashes.add(hash(ANNA, MessageType.TEXT, "One", 1))).isTrue();
        assertThat(hashes.add(hash(ANNA, MessageType.TEXT, "one,", 1))).isTrue();
        assertThat(hashes.add(hash(ANNA, MessageType.TEXT, "one\"", 1))).isTrue();
        assertThat(hashes.add(hash(ANNA, MessageType.TEXT, "one\\", 1))).isTrue();
        assertThat(hashes.add(hash(ANNA, MessageType.JOIN, null, 1))).isTrue();
        assertThat(hashes.add(hash(ANNA, MessageType.LEAVE, null, 1))).isTrue();
        assertThat(hashes.add(hash(ANNA, MessageType.LEAVE, null, 2))).isTrue();
    }

    @Test
    void everyByteOfEveryLengthCounts() {
        Set<Long> hashes = new HashSet<>();
        for (int length = 1; length < 40; length++) {
            assertThat(hashes.add(hash(ANNA, MessageType.TEXT, "\0".repeat(length), 1)))
                    .isTrue();
            for (int at = 0; at < length; at++) {
                StringBuilder text = new StringBuilder("x".repeat(length));
                for (char c = 'a'; c < 'x'; c++) {
                    text.setCharAt(at, c);
                    assertThat(hashes.add(hash(ANNA, MessageType.TEXT, text.toString(), 1)))
                            .as("%s", text)
                            .isTrue();
                }
            }
        }
    }

    @Test
    void hashIsIndependentOfTheOffset() {
        byte[] json = MessageJson.encode(new ChatMessage(ID, ANNA, MessageType.TEXT, "somewhere", 5));
        byte[] among = new byte[json.length + 20];
        java.util.Arrays.fill(among, (byte) ',');
        for (int at = 0; at <= 20; at++) {
            System.arraycopy(json, 0, among, at, json.length);
            assertThat(ContentHash.of(MessageType.TEXT, 5, among, at, at + json.length))
                    .isEqualTo(ContentHash.of(MessageType.TEXT, 5, json, 0, json.length));
        }
    }

    @Test
    void invalidMessageIsHashedToo() {
        for (String foreign : new String[] {"{}", "[]", "{\"a\":1}", ",,"}) {
            byte[] bytes = foreign.getBytes(StandardCharsets.UTF_8);
            assertThat(ContentHash.of(MessageType.TEXT, 5, bytes, 0, bytes.length))
                    .isEqualTo(ContentHash.of(MessageType.TEXT, 5, bytes, 0, bytes.length));
        }
    }

    @Test
    void nothingIsAllocated() {
        byte[] json = MessageJson.encode(new ChatMessage(ID, ANNA, MessageType.TEXT, "x".repeat(400), 5));
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long hash = ContentHash.of(MessageType.TEXT, 5, json, 0, json.length);
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 1000; i++) hash ^= ContentHash.of(MessageType.TEXT, 5, json, 0, json.length);
        long after = threads.getCurrentThreadAllocatedBytes();
        assertThat(hash).isNotZero();
        // Not one object per hash; the code may be linked on the way.
        assertThat(after - before).isLessThan(16 * 1000);
    }
}

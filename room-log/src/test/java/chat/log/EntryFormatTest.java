package chat.log;

import static chat.log.Samples.IPV4;
import static chat.log.Samples.IPV6;
import static chat.log.Samples.NO_ADDRESS;
import static chat.log.Samples.header;
import static chat.log.Samples.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EntryFormatTest {
    private static final long EPOCH = 1_763_632_800_000_000L;
    private static final int MAX_BYTES = 512 * 1024;

    private final EntryBuilder<String> builder = new EntryBuilder<>(MAX_BYTES, Position.MESSAGES_PER_ENTRY);

    private LogEntry parsed() {
        return LogEntry.parse(builder.encode(header(EntryKind.MESSAGES, EPOCH, 7, 3)), EPOCH, 11);
    }

    @Test
    void messagesOfSeveralRoomsComeBackByRoomInTheirOrder() {
        UUID first = UUID.randomUUID();
        builder.add(message("a", first, IPV4, "1", "eins"), "1");
        builder.add(message("b", UUID.randomUUID(), IPV6, "22", "zwei"), "2");
        builder.add(message("a", UUID.randomUUID(), NO_ADDRESS, "333", "dréi \uD83D\uDE00"), "3");

        LogEntry entry = parsed();

        assertThat(builder.attachments()).containsExactly("1", "3", "2");
        assertThat(entry.messages()).isEqualTo(3);
        assertThat(entry.segments()).hasSize(2);
        Segment a = entry.segments().getFirst();
        assertThat(a.room()).isEqualTo(new RoomId("a"));
        assertThat(a.firstIndex()).isZero();
        assertThat(a.size()).isEqualTo(2);
        assertThat(a.messageId(0)).isEqualTo(first);
        assertThat(a.idHigh(0)).isEqualTo(first.getMostSignificantBits());
        assertThat(a.idLow(0)).isEqualTo(first.getLeastSignificantBits());
        assertThat(a.type(0)).isEqualTo(MessageType.TEXT);
        assertThat(a.timestamp(0)).isEqualTo(1_700_000_000_123L);
        assertThat(a.clientAddress(0)).isEqualTo(IPV4);
        assertThat(a.clientAddress(1)).isEmpty();
        assertThat(a.userId(0)).isEqualTo("1");
        assertThat(a.userId(1)).isEqualTo("333");
        assertThat(Samples.text(a, 0)).isEqualTo("eins");
        assertThat(Samples.text(a, 1)).isEqualTo("dréi \uD83D\uDE00");
        Segment b = entry.segments().get(1);
        assertThat(b.firstIndex()).isEqualTo(2);
        assertThat(b.clientAddress(0)).isEqualTo(IPV6);
        assertThat(entry.position(2)).isEqualTo(Position.of(EPOCH, 11, 2));
        assertThat(entry.lastPosition()).isEqualTo(entry.position(2));
    }

    @Test
    void theJsonOfConsecutiveMessagesIsOneSliceWithCommas() {
        for (String text : List.of("x", "yy", "zzz")) builder.add(message("a", text), text);

        Segment a = parsed().segments().getFirst();

        String slice = new String(a.array(), a.jsonStart(1), a.jsonEnd(2) - a.jsonStart(1), StandardCharsets.UTF_8);
        assertThat(slice).isEqualTo("{\"message\":\"yy\"},{\"message\":\"zzz\"}");
    }

    @ParameterizedTest
    @EnumSource(MessageType.class)
    void everyTypeIsDecoded(MessageType type) {
        byte[] json = {'{', '}'};
        builder.add(new OutgoingMessage(new RoomId("a"), UUID.randomUUID(), type, "1", 5, NO_ADDRESS, json), "");

        assertThat(parsed().segments().getFirst().type(0)).isEqualTo(type);
    }

    @Test
    void headerIsDecoded() {
        EntryHeader hello = new EntryHeader(EntryKind.HELLO, EPOCH, EPOCH - 1, -5, Long.MAX_VALUE, "s".repeat(64));

        LogEntry entry = LogEntry.parse(EntryBuilder.encodeEmpty(hello), EPOCH, 0);

        assertThat(entry.header()).isEqualTo(hello);
        assertThat(entry.segments()).isEmpty();
        assertThat(entry.messages()).isZero();
        assertThat(entry.lastPosition()).isEqualTo(entry.position(0));
    }

    @Test
    void otherEpochIsWrittenIntoACopy() {
        byte[] entry = EntryBuilder.encodeEmpty(header(EntryKind.HEARTBEAT, EPOCH, 7, 3));
        byte[] before = entry.clone();

        byte[] changed = EntryHeader.withEpoch(entry, EPOCH + 9);

        assertThat(entry).isEqualTo(before);
        assertThat(LogEntry.header(changed)).isEqualTo(header(EntryKind.HEARTBEAT, EPOCH + 9, 7, 3));
    }

    @Test
    void entryHoldsAtMost2048Messages() {
        for (int i = 0; i < 2048; i++) {
            assertThat(builder.add(message("r" + i % 7, Integer.toString(i)), Integer.toString(i)))
                    .isTrue();
        }
        assertThat(builder.add(message("r0", "more"), "more")).isFalse();

        LogEntry entry = parsed();

        assertThat(builder.messages()).isEqualTo(2048);
        assertThat(entry.messages()).isEqualTo(2048);
        List<String> attachments = builder.attachments();
        for (Segment segment : entry.segments()) {
            for (int i = 0; i < segment.size(); i++) {
                assertThat(Samples.text(segment, i)).isEqualTo(attachments.get(segment.firstIndex() + i));
            }
        }
    }

    @Test
    void entryStaysWithinItsLimit() {
        EntryBuilder<String> small = new EntryBuilder<>(4096, Position.MESSAGES_PER_ENTRY);
        int added = 0;
        while (small.add(message("r".repeat(60) + added % 9, "x".repeat(added % 50)), "")) added++;

        byte[] entry =
                small.encode(new EntryHeader(EntryKind.MESSAGES, EPOCH, 0, 1, 1, "a-long-name-of-a-server-".repeat(2)));

        assertThat(entry).hasSizeLessThanOrEqualTo(4096).hasSizeGreaterThan(3500);
        assertThat(LogEntry.parse(entry, EPOCH, 0).messages()).isEqualTo(added);
    }

    @Test
    void entryMayReachItsLimitExactly() {
        List<OutgoingMessage> three = List.of(message("a", "x"), message("b", "yy"), message("a", "zzz"));
        three.forEach(message -> builder.add(message, ""));
        EntryHeader longest = new EntryHeader(EntryKind.MESSAGES, EPOCH, 0, 1, 1, "s".repeat(64));
        int size = builder.encode(longest).length;

        EntryBuilder<String> asLarge = new EntryBuilder<>(size, 10);
        assertThat(three).allMatch(message -> asLarge.add(message, ""));
        EntryBuilder<String> smaller = new EntryBuilder<>(size - 1, 10);
        assertThat(three.stream().filter(message -> smaller.add(message, ""))).hasSize(2);
    }

    @Test
    void singleMessageAboveTheLimitIsAcceptedAlone() {
        EntryBuilder<String> small = new EntryBuilder<>(1024, 10);

        assertThat(small.add(message("a", "x".repeat(5000)), "large")).isTrue();
        assertThat(small.add(message("a", "x"), "next")).isFalse();

        LogEntry entry = LogEntry.parse(small.encode(header(EntryKind.MESSAGES, EPOCH, 1, 1)), EPOCH, 0);
        assertThat(entry.messages()).isEqualTo(1);
        assertThat(Samples.text(entry.segments().getFirst(), 0)).hasSize(5000);
    }

    @Test
    void undecodableMessageIsRejected() {
        UUID id = UUID.randomUUID();
        assertThatIllegalArgumentException().isThrownBy(() -> message("a", id, new byte[3], "1", "x"));
        assertThatIllegalArgumentException().isThrownBy(() -> message("a", id, NO_ADDRESS, "", "x"));
        assertThatIllegalArgumentException().isThrownBy(() -> message("a", id, NO_ADDRESS, "\u00e9", "x"));
        assertThatIllegalArgumentException().isThrownBy(() -> message("a", id, NO_ADDRESS, "1".repeat(256), "x"));
        assertThatIllegalArgumentException().isThrownBy(() -> header(EntryKind.HELLO, 0, 1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> header(EntryKind.HELLO, 1L << 52, 1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> header(EntryKind.HELLO, 1, 1, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EntryHeader(EntryKind.HELLO, 1, 0, 1, 1, "s".repeat(65)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EntryHeader(EntryKind.HELLO, 1, 0, 1, 1, "\uD83D\uDE00"));
    }

    @Test
    void limitOfMessagesIs1To2048() {
        EntryBuilder<String> single = new EntryBuilder<>(MAX_BYTES, 1);
        assertThat(single.add(message("a", "x"), "x")).isTrue();
        assertThat(single.add(message("a", "y"), "y")).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> new EntryBuilder<>(MAX_BYTES, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new EntryBuilder<>(MAX_BYTES, 2049));
    }

    private static byte[] sample() {
        return Samples.entry(
                EPOCH,
                7,
                3,
                message("room-1", UUID.randomUUID(), IPV4, "42", "one"),
                message("room-1", UUID.randomUUID(), IPV6, "43", "two"),
                message("room-2", UUID.randomUUID(), NO_ADDRESS, "44", "three"));
    }

    /** Decodes the whole entry; any exception except MalformedEntry propagates. */
    private static boolean isWellFormed(byte[] bytes) {
        try {
            LogEntry entry = LogEntry.parse(bytes, EPOCH, 0);
            int messages = 0;
            for (Segment segment : entry.segments()) {
                assertThat(segment.firstIndex()).isEqualTo(messages);
                messages += segment.size();
                for (int i = 0; i < segment.size(); i++) {
                    assertThat(segment.messageId(i)).isNotNull();
                    assertThat(segment.type(i)).isNotNull();
                    assertThat(segment.clientAddress(i).length).isIn(0, 4, 16);
                    assertThat(segment.userId(i)).isNotNull();
                    assertThat(segment.json(i)).hasSizeGreaterThanOrEqualTo(2);
                }
            }
            assertThat(messages).isEqualTo(entry.messages()).isLessThanOrEqualTo(2048);
            return true;
        } catch (MalformedEntry malformed) {
            return false;
        }
    }

    @Test
    void anEntryCutOffAnywhereIsMalformedOrEndsWithAWholeSegment() {
        byte[] whole = sample();
        int wellFormed = 0;
        for (int length = 0; length < whole.length; length++) {
            if (isWellFormed(Arrays.copyOf(whole, length))) wellFormed++;
        }
        assertThat(wellFormed).isEqualTo(1);
        assertThat(isWellFormed(whole)).isTrue();
    }

    @Test
    void aHeaderCutOffAnywhereIsMalformed() {
        byte[] whole = EntryBuilder.encodeEmpty(header(EntryKind.HELLO, EPOCH, 7, 3));
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> LogEntry.header(cut)).isInstanceOf(MalformedEntry.class);
        }
    }

    @Test
    void bytesAfterAHeartbeatAreMalformed() {
        byte[] hello = EntryBuilder.encodeEmpty(header(EntryKind.HELLO, EPOCH, 7, 3));
        assertThat(isWellFormed(Arrays.copyOf(hello, hello.length + 1))).isFalse();
    }

    private static byte[] stored(long position) {
        return new StoredThrough(position).encode(header(EntryKind.STORED, EPOCH, 7, 3));
    }

    @Test
    void storedPositionIsDecoded() {
        for (long position : new long[] {0, 77, Position.of(EPOCH, 11, 2047), Long.MAX_VALUE}) {
            LogEntry entry = LogEntry.parse(stored(position), EPOCH, 12);
            assertThat(entry.header()).isEqualTo(header(EntryKind.STORED, EPOCH, 7, 3));
            assertThat(entry.stored()).isEqualTo(new StoredThrough(position));
            assertThat(entry.messages()).isZero();
            assertThat(entry.lastPosition()).isEqualTo(entry.position(0));
        }
    }

    @Test
    void messagesNotStoredAreDecoded() {
        List<NotStored> names = new ArrayList<>();
        for (int i = 0; i < StoredThrough.MAX_NOT_STORED; i++)
            names.add(new NotStored(i, new UUID(i, ~i), new RoomId("r".repeat(64)), "u".repeat(128)));
        StoredThrough stored = new StoredThrough(5_000, names);
        byte[] entry = stored.encode(header(EntryKind.STORED, EPOCH, 7, 3));
        assertThat(entry.length).isLessThan(LogSettings.DEFAULT.maxEntryBytes());
        assertThat(LogEntry.parse(entry, EPOCH, 12).stored()).isEqualTo(stored);
        for (int cut = 1; cut < 200; cut++)
            assertThat(isWellFormed(Arrays.copyOf(entry, entry.length - cut))).isFalse();
        names.add(names.getFirst());
        assertThatIllegalArgumentException().isThrownBy(() -> new StoredThrough(5_000, names));
    }

    @Test
    void onlyAStoredEntryHasAStoredPosition() {
        assertThat(LogEntry.parse(sample(), EPOCH, 0).stored()).isNull();
        assertThat(LogEntry.parse(EntryBuilder.encodeEmpty(header(EntryKind.HEARTBEAT, EPOCH, 7, 3)), EPOCH, 0)
                        .stored())
                .isNull();
        EntryHeader heartbeat = header(EntryKind.HEARTBEAT, EPOCH, 7, 3);
        assertThatIllegalArgumentException().isThrownBy(() -> new StoredThrough(5).encode(heartbeat));
        assertThatIllegalArgumentException().isThrownBy(() -> new StoredThrough(-1));
    }

    @Test
    void aStoredPositionCutOffAnywhereOrFollowedByMoreOrNegativeIsMalformed() {
        byte[] whole = stored(5);
        for (int length = 0; length < whole.length; length++)
            assertThat(isWellFormed(Arrays.copyOf(whole, length))).isFalse();
        assertThat(isWellFormed(whole)).isTrue();
        assertThat(isWellFormed(Arrays.copyOf(whole, whole.length + 1))).isFalse();
        ByteBuffer.wrap(whole).putLong(whole.length - Long.BYTES, -1);
        assertThat(isWellFormed(whole)).isFalse();
    }

    @Test
    void anEntryWithoutMessagesIsMalformed() {
        assertThat(isWellFormed(EntryBuilder.encodeEmpty(header(EntryKind.MESSAGES, EPOCH, 7, 3))))
                .isFalse();
    }

    @Test
    void randomBytesAreMalformed() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            if (i % 2 == 0 && bytes.length > 2) {
                bytes[0] = 1;
                bytes[1] = 1;
            }
            isWellFormed(bytes);
        }
    }

    @Test
    void flippedBytesAreMalformedOrStillAnEntry() {
        Random random = new Random(2);
        byte[] whole = sample();
        for (int at = 0; at < whole.length; at++) {
            for (int value = 0; value < 256; value++) {
                byte[] changed = whole.clone();
                changed[at] = (byte) value;
                isWellFormed(changed);
            }
        }
        for (int i = 0; i < 20_000; i++) {
            byte[] changed = whole.clone();
            for (int n = 0; n < 3; n++) changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            isWellFormed(changed);
        }
    }

    @Test
    void lengthsThatOverflowAreMalformed() {
        // Two messages whose lengths sum up, modulo 2^32, to the length in the segment.
        byte[] whole = Samples.entry(EPOCH, 7, 3, message("r", "one"), message("r", "two"));
        int segment = header(EntryKind.MESSAGES, EPOCH, 7, 3).length();
        int jsonBytesAt = segment + 2 + 2;
        int firstLengthAt = jsonBytesAt + 4 + Segment.JSON_LENGTH_AT;
        byte[] changed = whole.clone();
        ByteBuffer buffer = ByteBuffer.wrap(changed);
        buffer.putInt(jsonBytesAt, Integer.MAX_VALUE);
        buffer.putInt(firstLengthAt, Integer.MAX_VALUE);

        assertThat(isWellFormed(changed)).isFalse();
    }

    @Test
    void lengthBeyondTheEndAllocatesNothing() {
        byte[] whole = sample();
        int sizeAt = header(EntryKind.MESSAGES, EPOCH, 7, 3).length() + 1 + "room-1".length();
        ByteBuffer.wrap(whole).putShort(sizeAt, (short) -1).putInt(sizeAt + 2, Integer.MAX_VALUE);
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        isWellFormed(whole);

        long before = threads.getCurrentThreadAllocatedBytes();
        isWellFormed(whole);

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(64 * 1024);
    }
}

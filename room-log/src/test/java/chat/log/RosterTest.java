package chat.log;

import static chat.log.Samples.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.log.Roster.Attendee;
import chat.protocol.RoomId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RosterTest {
    private static final long EPOCH = 1_763_632_800_000_000L;
    private static final long RUN = 7;
    private static final EntryHeader HEADER = header(EntryKind.ROSTER, EPOCH, RUN, 12);
    private static final int MAX_BYTES = 512 * 1024;

    private static final List<Roster.Room> TWO_ROOMS = List.of(
            room("lobby", new Attendee("1", "anna", 1), new Attendee("22", "bert", 3)),
            room("x", new Attendee("100000", "a".repeat(20), Attendee.MAX_SESSIONS)));

    private static Roster.Room room(String id, Attendee... attendees) {
        return new Roster.Room(new RoomId(id), List.of(attendees));
    }

    private static Roster only(List<Roster> parts) {
        assertThat(parts).hasSize(1);
        return parts.getFirst();
    }

    private static LogEntry parse(byte[] bytes) {
        return LogEntry.parse(bytes, EPOCH, 3);
    }

    @Test
    void rosterIsDecoded() {
        Roster roster = only(Roster.of(RUN, 9, true, TWO_ROOMS, MAX_BYTES));

        LogEntry entry = parse(roster.encode(HEADER));

        assertThat(entry.roster()).isEqualTo(new Roster(RUN, 9, true, 0, 1, TWO_ROOMS));
        assertThat(entry.header()).isEqualTo(HEADER);
        assertThat(entry.segments()).isEmpty();
        assertThat(entry.lastPosition()).isEqualTo(entry.position(0));
    }

    @Test
    void rosterKeepsDisplayNames() {
        List<Roster.Room> rooms = List.of(room(
                "lobby",
                new Attendee("auth0|1", "anna", "Zo\u00eb \ud83d\ude00", 1),
                new Attendee("22", "bert", 3),
                new Attendee("x".repeat(128), "cora", "\ud83d\ude00".repeat(64), 1)));
        Roster roster = only(Roster.of(RUN, 9, true, rooms, MAX_BYTES));
        byte[] whole = roster.encode(HEADER);
        assertThat(parse(whole).roster()).isEqualTo(roster);
        assertThat(Objects.requireNonNull(parse(whole).roster()).asks()).isTrue();
        for (int length = 0; length < whole.length; length++) isWellFormed(Arrays.copyOf(whole, length));
    }

    @Test
    void rosterWithDisplayNamesIsSplitIntoPartsThatFit() {
        List<Roster.Room> rooms = List.of(new Roster.Room(
                new RoomId("lobby"),
                IntStream.rangeClosed(1, 50)
                        .mapToObj(i -> new Attendee(Integer.toString(i), "user" + i, "\ud83d\ude00".repeat(64), 1))
                        .toList()));
        List<Roster> parts = Roster.of(RUN, 4, false, rooms, 1024);
        assertThat(parts).hasSizeGreaterThan(10);
        for (Roster part : parts)
            assertThat(part.encode(new EntryHeader(EntryKind.ROSTER, EPOCH, 0, RUN, 1, "s".repeat(64))))
                    .hasSizeLessThanOrEqualTo(1024);
    }

    @Test
    void emptyRosterIsDecoded() {
        Roster nobody = only(Roster.of(-1, 0, false, List.of(), MAX_BYTES));

        assertThat(parse(nobody.encode(HEADER)).roster()).isEqualTo(nobody);
        assertThat(nobody.rooms()).isEmpty();
    }

    @Test
    void otherEntriesHaveNoRoster() {
        assertThat(parse(EntryBuilder.encodeEmpty(header(EntryKind.HELLO, EPOCH, 1, 1)))
                        .roster())
                .isNull();
    }

    @Test
    void largeRosterIsSplitIntoParts() {
        List<Roster.Room> rooms = new ArrayList<>();
        for (int r = 0; r < 40; r++)
            rooms.add(new Roster.Room(
                    new RoomId("room-" + r),
                    IntStream.rangeClosed(1, r % 3 == 0 ? 200 : 1)
                            .mapToObj(i -> new Attendee(Integer.toString(i), "user" + i, 1))
                            .toList()));

        List<Roster> parts = Roster.of(RUN, 4, false, rooms, 1024);

        assertThat(parts).hasSizeGreaterThan(20);
        List<String> found = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            EntryHeader longest = new EntryHeader(EntryKind.ROSTER, EPOCH, 0, RUN, 1 + i, "s".repeat(64));
            byte[] bytes = parts.get(i).encode(longest);
            assertThat(bytes).hasSizeLessThanOrEqualTo(1024);
            Roster part = Objects.requireNonNull(parse(bytes).roster());
            assertThat(part.part()).isEqualTo(i);
            assertThat(part.parts()).isEqualTo(parts.size());
            assertThat(part.through()).isEqualTo(4);
            for (Roster.Room room : part.rooms())
                for (Attendee attendee : room.attendees()) found.add(room.id() + " " + attendee.userId());
        }
        List<String> all = new ArrayList<>();
        for (Roster.Room room : rooms)
            for (Attendee attendee : room.attendees()) all.add(room.id() + " " + attendee.userId());
        assertThat(found).containsExactlyElementsOf(all);
    }

    @Test
    void undecodableRosterIsRejected() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Attendee("", "anna", 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Attendee("1", "", 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Attendee("1", "\u00e9", 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Attendee("1", "a".repeat(256), 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Attendee("1", "anna", 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Attendee("1", "anna", 65_536));
        assertThatIllegalArgumentException().isThrownBy(() -> new Attendee("1", "anna", "", 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Attendee("1", "anna", "a".repeat(1025), 1));
        assertThatIllegalArgumentException().isThrownBy(() -> room("a"));
        assertThatIllegalArgumentException().isThrownBy(() -> new Roster(1, -1, false, 0, 1, List.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> new Roster(1, 1, false, 1, 1, List.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> new Roster(1, 1, false, 0, 0, List.of()));
    }

    /** Any exception except MalformedEntry propagates. */
    private static boolean isWellFormed(byte[] bytes) {
        try {
            parse(bytes);
            return true;
        } catch (MalformedEntry malformed) {
            return false;
        }
    }

    @Test
    void aRosterCutOffAnywhereIsMalformedOrEndsWithAWholeRoom() {
        byte[] whole = only(Roster.of(RUN, 9, true, TWO_ROOMS, MAX_BYTES)).encode(HEADER);
        int wellFormed = 0;
        for (int length = 0; length < whole.length; length++)
            if (isWellFormed(Arrays.copyOf(whole, length))) wellFormed++;
        assertThat(wellFormed).isEqualTo(2); // without rooms, and with the first
        assertThat(isWellFormed(Arrays.copyOf(whole, whole.length + 1))).isFalse();
    }

    @Test
    void unknownFlagIsMalformed() {
        byte[] whole = only(Roster.of(RUN, 9, true, TWO_ROOMS, MAX_BYTES)).encode(HEADER);
        whole[HEADER.length() + 16] = 4;
        assertThat(isWellFormed(whole)).isFalse();
    }

    @Test
    void flippedBytesAreMalformedOrStillARoster() {
        Random random = new Random(2);
        byte[] whole = only(Roster.of(RUN, 9, true, TWO_ROOMS, MAX_BYTES)).encode(HEADER);
        for (int at = 0; at < whole.length; at++)
            for (int value = 0; value < 256; value++) {
                byte[] changed = whole.clone();
                changed[at] = (byte) value;
                isWellFormed(changed);
            }
        for (int i = 0; i < 20_000; i++) {
            byte[] changed = whole.clone();
            for (int n = 0; n < 3; n++) changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            isWellFormed(changed);
        }
    }

    @Test
    void lengthBeyondTheEndIsMalformed() {
        byte[] whole = only(Roster.of(RUN, 9, true, TWO_ROOMS, MAX_BYTES)).encode(HEADER);
        int sizeAt = HEADER.length() + 21 + 1 + "lobby".length();
        ByteBuffer.wrap(whole).putShort(sizeAt, (short) -1);
        assertThatThrownBy(() -> parse(whole)).isInstanceOf(MalformedEntry.class);
    }
}

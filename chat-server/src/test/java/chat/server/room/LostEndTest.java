package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.EntryHeader;
import chat.log.EntryKind;
import chat.log.ForwardingRoomLog;
import chat.log.InMemoryRoomLog;
import chat.log.LogCounters;
import chat.log.LogSettings;
import chat.log.Position;
import chat.log.RoomLog;
import chat.log.StoredThrough;
import chat.protocol.ClientFrame.Since;
import chat.protocol.RoomId;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The log has lost its end before a server began: members receive a GAP once the consumer or a member proves it. */
class LostEndTest {
    private static final RoomId ROOM = new RoomId("room");

    private final Clock clock = Clock.systemUTC();
    private final InMemoryRoomLog log = new InMemoryRoomLog(1, 16 << 20, clock);
    private final FakeHistory history = new FakeHistory();
    private final Rooms rooms = TestRooms.of(
            log,
            new TestRoomSettings().settings(),
            LogSettings.DEFAULT,
            clock,
            history,
            new LogCounters(),
            new RoomCounters());

    @AfterEach
    void close() {
        rooms.close();
        log.close();
    }

    private FakeMember member(int user, Since since, boolean wantsStored) {
        return new FakeMember(rooms, clock, ROOM, user, since, wantsStored).joined();
    }

    /** As a consumer that has stored lost entries reports it. */
    private long storedBeyond(FakeMember last, int entries) throws Exception {
        long there = last.lastPosition();
        long beyond = there + (long) entries * Position.MESSAGES_PER_ENTRY;
        byte[] entry = new StoredThrough(beyond)
                .encode(new EntryHeader(
                        EntryKind.STORED, there / Position.MESSAGES_PER_ENTRY, 0, 4711, 1, "persistence-consumer"));
        log.append(0, entry).toCompletableFuture().get(5, TimeUnit.SECONDS);
        return beyond;
    }

    private static long number(JsonNode frame, String field) {
        return Long.parseLong(frame.get(field).asString());
    }

    @Test
    void membersReceiveAGapUpToTheNextMessage() throws Exception {
        FakeMember anna = member(1, new Since.Now(), true);
        anna.said("before");
        long before = anna.lastPosition();

        long beyond = storedBeyond(anna, 1000);

        anna.await("gap", () -> anna.types().contains("GAP"));
        anna.said("after");
        JsonNode gap = anna.frames("GAP").getFirst();
        assertThat(number(gap, "from")).isGreaterThanOrEqualTo(before).isLessThan(beyond);
        assertThat(number(gap, "to")).isGreaterThan(beyond).isLessThan(anna.lastPosition());
        assertThat(anna.frames("GAP")).hasSize(1);
        assertThat(anna.types()).as("frames before it was read again").doesNotContain("STORED");
        assertThat(anna.heard()).endsWith("before", "after");
    }

    /** Rows of what is lost stand between, and perhaps some of what was said there later. */
    @Test
    void resumeFromALostEndReceivesAGapAndTheRest() throws Exception {
        FakeMember anna = member(1, new Since.Now(), false);
        anna.said("one");
        anna.said("two");
        List<RecentMessage> said = anna.recent();
        long beyond = storedBeyond(anna, 1000);
        anna.await("gap", () -> anna.types().contains("GAP"));
        anna.said("after");
        long from = number(anna.frames("GAP").getFirst(), "from");
        history.store(said);
        byte[] lost = said.getLast().json();
        history.store(List.of(new RecentMessage(from + 5, lost), new RecentMessage(beyond, lost)));

        FakeMember below = member(2, new Since.Resume(said.get(said.size() - 2).position()), false);
        below.awaitHeard("JOIN 2");
        assertThat(below.heard()).containsExactly("two", "after", "JOIN 2");
        assertThat(below.types()).containsSubsequence("WELCOME", "MESSAGES", "GAP", "MESSAGES");

        FakeMember within = member(3, new Since.Resume(from + 7), false);
        within.awaitHeard("JOIN 3");
        assertThat(within.heard()).containsExactly("after", "JOIN 2", "JOIN 3");
        assertThat(number(within.frames("GAP").getFirst(), "from")).isEqualTo(from + 7);
    }

    /** As after a power cut: servers that have read nothing of what is gone, and a consumer that comes later. */
    @Test
    void allMembersReceiveAGapWhenTheConsumerProvesALostEnd() throws Exception {
        try (CutPower cut = new CutPower()) {
            FakeMember bert = cut.member(2, new Since.Resume(cut.kept));
            bert.awaitHeard("JOIN 2");
            bert.said("after");
            assertThat(bert.types()).as("before the loss is proven").doesNotContain("GAP");
            assertThat(bert.lastPosition()).isGreaterThan(cut.lost);

            cut.consumerStored(cut.lost);

            bert.await("gap", () -> bert.types().contains("GAP"));
            assertCovers(bert.frames("GAP").getFirst(), cut);
            FakeMember later = cut.member(3, new Since.Resume(cut.kept));
            later.awaitHeard("JOIN 3");
            assertCovers(later.frames("GAP").getFirst(), cut);
            assertThat(later.heard()).containsExactly("JOIN 2", "after", "JOIN 3");
            cut.consumerStored(cut.lost);
            bert.said("more");
            assertThat(bert.frames("GAP")).hasSize(1);
        }
    }

    @Test
    void clientThatResumesFromALostPositionReceivesAGapAndSoDoesItsRoom() throws Exception {
        try (CutPower cut = new CutPower()) {
            FakeMember bert = cut.member(2, new Since.Resume(cut.kept));
            bert.awaitHeard("JOIN 2");
            FakeMember elsewhere = new FakeMember(cut.rooms, clock, new RoomId("other"), 9, new Since.Now()).joined();

            FakeMember knows = cut.member(1, new Since.Resume(cut.lost));

            knows.awaitHeard("JOIN 1");
            assertThat(knows.heard()).containsExactly("JOIN 2", "JOIN 1");
            assertThat(knows.types().indexOf("GAP")).isLessThan(knows.types().indexOf("MESSAGES"));
            assertThat(number(knows.frames("GAP").getFirst(), "from")).isEqualTo(cut.lost);
            bert.await("gap", () -> bert.types().contains("GAP"));
            assertCovers(bert.frames("GAP").getFirst(), cut);
            elsewhere.said("untouched");
            assertThat(elsewhere.types()).doesNotContain("GAP");
            long epoch = knows.lastPosition() / Position.MESSAGES_PER_ENTRY;
            bert.said("on");
            assertThat(bert.lastPosition() / Position.MESSAGES_PER_ENTRY - epoch)
                    .as("entries in between: no new epoch")
                    .isLessThan(1000);
        }
    }

    /** The consumer has read on to the HELLO of the server that began there; or it is away, and the log has both origins. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void clientResumesAcrossTheOriginOfAServerThatStartedAlone(boolean consumerAnswers) throws Exception {
        try (CutPower cut = new CutPower()) {
            history.store(List.of(cut.keptMessage));
            history.storedThrough(cut.firstLost - 1 + Position.MESSAGES_PER_ENTRY);
            history.reachable(consumerAnswers);
            FakeMember bert = cut.member(2, new Since.Now());
            List<String> all = new ArrayList<>(List.of("kept", "JOIN 2"));
            for (int i = 0; i < 12; i++) { // more than memory keeps
                bert.said("new " + i);
                all.add("new " + i);
            }

            FakeMember cara = cut.member(3, new Since.Resume(cut.kept - 1));

            cara.awaitHeard("JOIN 3");
            all.add("JOIN 3");
            assertThat(cara.heard()).isEqualTo(all);
            assertThat(cara.types()).doesNotContain("GAP");
        }
    }

    @Test
    void positionAboveTheOwnJoinIsAGapForThatClientOnly() throws Exception {
        try (CutPower cut = new CutPower()) {
            FakeMember bert = cut.member(2, new Since.Resume(cut.kept));
            bert.awaitHeard("JOIN 2");

            FakeMember claims = cut.member(3, new Since.Resume(Long.MAX_VALUE / 2));

            claims.awaitHeard("JOIN 3");
            assertThat(claims.types()).containsSubsequence("WELCOME", "GAP", "MESSAGES");
            assertThat(claims.heard()).containsExactly("JOIN 3");
            bert.said("on");
            assertThat(bert.types()).doesNotContain("GAP");
        }
    }

    @Test
    void roomReceivesEachLostEndOnce() throws Exception {
        try (CutPower cut = new CutPower()) {
            FakeMember anna = cut.member(1, new Since.Now());
            anna.said("before the second one");
            long lostToo = anna.lastPosition() + 5 * Position.MESSAGES_PER_ENTRY;
            cut.restart();
            FakeMember bert = cut.member(2, new Since.Now());
            bert.said("after the second one");

            for (int user = 3; user < 9; user++) {
                FakeMember knows = cut.member(user, new Since.Resume(user % 2 == 0 ? cut.lost : lostToo));
                knows.awaitHeard("JOIN " + user);
            }

            bert.said("end");
            assertThat(bert.frames("GAP")).hasSize(2);
        }
    }

    private static void assertCovers(JsonNode gap, CutPower cut) {
        assertThat(number(gap, "from")).isGreaterThanOrEqualTo(cut.kept).isLessThan(cut.firstLost);
        assertThat(number(gap, "to")).isGreaterThan(cut.lost);
    }

    /** A log that outlives its process and has lost its end, and a server that began after that. */
    private final class CutPower implements AutoCloseable {
        private final InMemoryRoomLog cut = new InMemoryRoomLog(1, 16 << 20, clock);
        /** Positions of the last message kept, and of the first and the last that are lost. */
        final long kept;

        final RecentMessage keptMessage;
        final long firstLost;
        final long lost;
        Rooms rooms;
        private final List<byte[]> entries = new CopyOnWriteArrayList<>();

        CutPower() throws Exception {
            int keeps;
            try (InMemoryRoomLog whole = new InMemoryRoomLog(1, 16 << 20, clock);
                    Rooms before = server(new Lasting(whole))) {
                FakeMember anna = new FakeMember(before, clock, ROOM, 1, new Since.Now()).joined();
                anna.said("kept");
                kept = anna.lastPosition();
                keptMessage = anna.recent().getLast();
                keeps = entries.size();
                anna.said("lost first");
                firstLost = anna.lastPosition();
                for (int i = 0; i < 20; i++) anna.said("lost " + i);
                lost = anna.lastPosition();
            }
            for (byte[] entry : entries.subList(0, keeps))
                cut.append(0, entry).toCompletableFuture().get(5, TimeUnit.SECONDS);
            rooms = server(new Lasting(cut));
        }

        private Rooms server(RoomLog on) {
            return TestRooms.of(
                    on,
                    new TestRoomSettings().settings(),
                    LogSettings.DEFAULT,
                    clock,
                    history,
                    new LogCounters(),
                    new RoomCounters());
        }

        void restart() {
            rooms.close();
            rooms = server(new Lasting(cut));
        }

        FakeMember member(int user, Since since) {
            return new FakeMember(rooms, clock, ROOM, user, since, false).joined();
        }

        void consumerStored(long position) {
            try (FakeConsumer consumer = new FakeConsumer(cut, 0)) {
                consumer.stored(position);
            }
        }

        @Override
        public void close() {
            rooms.close();
            cut.close();
        }

        private final class Lasting extends ForwardingRoomLog {
            Lasting(RoomLog log) {
                super(log);
            }

            @Override
            public boolean outlivesItsProcess() {
                return true;
            }

            @Override
            public CompletionStage<Void> append(int partition, byte[] entry) {
                entries.add(entry);
                return super.append(partition, entry);
            }
        }
    }
}

package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.LogSettings;
import chat.protocol.ClientFrame.Since;
import chat.protocol.CloseCode;
import chat.protocol.RoomId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Messages between the history and memory are read from the log, without waiting. */
class CatchUpFromLogTest {
    private static final RoomId ROOM = new RoomId("room");
    private static final RoomId OTHER = new RoomId("other");
    private static final int REMEMBERED = 10;
    private static final int READERS = 2;
    /** Without steps of the clock, a wait for the history's timeout never ends. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final TestServers servers = new TestServers(1);
    private final SteppedClock clock = servers.clock;
    private final BreakableLog log = servers.log;
    private final FakeHistory history = new FakeHistory();
    private final RoomCounters counters = new RoomCounters();
    private final Rooms here = server("here", 1024);

    private Rooms server(String id, int rememberedIds) {
        RoomSettings settings = new TestRoomSettings()
                .serverId(id)
                .recentMessages(REMEMBERED)
                .rememberedIds(rememberedIds)
                .history(3, PATIENCE)
                .backlogReaders(READERS)
                .settings();
        return servers.start(settings, history, counters);
    }

    @AfterEach
    void close() {
        servers.close();
    }

    private FakeMember member(RoomId room, int user, Since since) {
        return new FakeMember(here, clock, room, user, since);
    }

    private FakeMember resumed(int user, long position) {
        FakeMember again = member(ROOM, user, new Since.Resume(position)).joined();
        again.awaitHeard("JOIN " + user);
        return again;
    }

    /** A member that has joined and sent t0 to t19. */
    private FakeMember talkative() {
        FakeMember anna = member(ROOM, 1, new Since.Now()).joined();
        for (String text : numbered(0, 20)) anna.said(text);
        return anna;
    }

    private static List<String> numbered(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "t" + i).toList();
    }

    private static List<String> and(List<String> texts, String last) {
        List<String> all = new ArrayList<>(texts);
        all.add(last);
        return all;
    }

    /** Everything up to where the other has come, once and under the same positions. */
    private static void assertSame(FakeMember again, FakeMember other) {
        List<String> heard = again.heard();
        assertThat(heard)
                .isEqualTo(other.heard()
                        .subList(
                                other.heard().size() - heard.size(),
                                other.heard().size()));
        assertThat(again.lastPosition()).isEqualTo(other.lastPosition());
        assertThat(again.frames("GAP")).isEmpty();
    }

    @Test
    void messagesNotStoredYetComeFromTheLog() {
        FakeMember anna = talkative();
        List<RecentMessage> all = anna.recent();
        history.store(all.subList(0, 5));
        FakeMember again = resumed(2, all.getFirst().position());
        assertThat(again.heard()).isEqualTo(and(numbered(0, 20), "JOIN 2"));
        assertSame(again, anna);
        again.said("t20");
        anna.awaitHeard("t20");
        assertSame(again, anna);
        assertThat(counters.backlogReads.sum()).isPositive();
    }

    @Test
    void logSufficesWithoutTheHistory() {
        FakeMember anna = talkative();
        history.reachable(false);
        FakeMember again = resumed(2, anna.recent().getFirst().position());
        assertThat(again.heard()).isEqualTo(and(numbered(0, 20), "JOIN 2"));
        assertSame(again, anna);
        assertThat(history.questions()).isEqualTo(1); // and not once for each page
    }

    @Test
    void memberThatReceivedNothingMissesNothing() {
        FakeMember anna = talkative();
        history.reachable(false);
        long welcomed = FakeMember.position(anna.frames().getFirst());
        FakeMember again = resumed(2, welcomed);
        assertThat(again.heard()).startsWith("JOIN 1").hasSize(22);
        assertSame(again, anna);
        assertSame(resumed(3, welcomed), anna);
    }

    @Test
    void messagesOfOtherRoomsAreSkipped() {
        FakeMember other = member(OTHER, 9, new Since.Now()).joined();
        FakeMember anna = member(ROOM, 1, new Since.Now()).joined();
        here.whenRoom(ROOM, () -> {
            for (int i = 0; i < 20; i++) {
                anna.text("t" + i);
                other.text("elsewhere");
            }
        });
        anna.awaitHeard("t19");
        history.reachable(false);
        long welcomed = FakeMember.position(anna.frames().getFirst());
        FakeMember again = resumed(2, welcomed);
        assertThat(again.heard()).startsWith("JOIN 1", "t0").hasSize(22);
        assertSame(again, anna);
    }

    @Test
    void duplicateInTheLogIsSentOnce() {
        FakeMember anna = member(ROOM, 1, new Since.Now()).joined();
        anna.said("t0");
        anna.said("twice");
        byte[] twice = log.lastMessages();
        for (String text : numbered(1, 10)) anna.said(text);
        log.appendAgain(twice);
        for (String text : numbered(10, 30)) anna.said(text);
        history.reachable(false);
        long position = FakeMember.position(anna.frames("MESSAGES").getFirst());
        assertThat(resumed(2, position).heard()).containsOnlyOnce("twice").hasSize(32);
        // Also for one who had it before, and only its repetition lies in what was missed.
        long later = FakeMember.position(anna.frames("MESSAGES").get(4));
        assertThat(resumed(3, later).heard()).doesNotContain("twice").startsWith("t3", "t4");
    }

    @Test
    void duplicateIsSentOnceAfterItsIdWasDropped() {
        FakeMember anna = member(ROOM, 1, new Since.Now()).joined();
        anna.said("twice");
        log.appendAgain(log.lastMessages());
        long welcomed = FakeMember.position(anna.frames().getFirst());
        for (int i = 0; i < 1100; i++) anna.text("x");
        anna.said("last");
        assertThat(counters.idsCutShort.sum()).isPositive();
        history.reachable(false);
        FakeMember again = resumed(2, welcomed);
        assertThat(again.heard()).startsWith("JOIN 1", "twice", "x");
        assertSame(again, anna);
    }

    @Test
    void longReadOfTheLogDropsOldIdsAndCountsIt() {
        FakeMember anna = member(ROOM, 1, new Since.Now()).joined();
        long welcomed = FakeMember.position(anna.frames().getFirst());
        for (int i = 0; i < 2200; i++) anna.textWhenThereIsRoom("x");
        anna.said("last");
        history.reachable(false);
        resumed(2, welcomed);
        assertThat(counters.backlogIdsForgotten.sum()).isPositive();
    }

    @Test
    void truncatedLogIsAGapAndTheRestFollows() {
        FakeMember anna = member(ROOM, 1, new Since.Now()).joined();
        for (String text : numbered(0, 8)) anna.said(text);
        log.keepFrom(log.lastOffset()); // from t7 on
        for (String text : numbered(8, 20)) anna.said(text);
        List<RecentMessage> all = anna.recent();
        history.reachable(false);
        long position = all.get(2).position();
        FakeMember again = member(ROOM, 2, new Since.Resume(position)).joined();
        again.await("the log to be read", () -> counters.backlogReads.sum() > 0);
        assertThat(again.frames("GAP")).isEmpty(); // the history may be back before the patience ends
        // Between two questions: what passes while one is answered counts for nothing.
        history.beforeNextAnswer(() -> clock.step(PATIENCE.plusSeconds(1)));
        again.awaitHeard("JOIN 2");
        assertThat(again.heard()).isEqualTo(and(numbered(7, 20), "JOIN 2"));
        assertThat(again.frames("GAP")).hasSize(1);
        JsonNode gap = again.frames("GAP").getFirst();
        assertThat(gap.get("from").asString()).isEqualTo(Long.toString(position));
        long to = Long.parseLong(gap.get("to").asString());
        assertThat(to).isBetween(all.get(7).position(), all.get(8).position() - 1);
    }

    @Test
    void truncatedMessagesComeFromTheHistoryWhenItIsBack() {
        FakeMember anna = member(ROOM, 1, new Since.Now()).joined();
        for (String text : numbered(0, 8)) anna.said(text);
        log.keepFrom(log.lastOffset());
        for (String text : numbered(8, 20)) anna.said(text);
        history.reachable(false);
        history.store(anna.recent().subList(0, 12));
        FakeMember again = member(ROOM, 2, new Since.Resume(anna.recent().get(2).position()))
                .joined();
        again.await("the log to be read", () -> counters.backlogReads.sum() > 0);
        history.reachable(true);
        again.awaitHeard("JOIN 2");
        assertThat(again.heard()).isEqualTo(and(numbered(2, 20), "JOIN 2"));
        assertSame(again, anna);
    }

    @Test
    void lastMessagesCombineHistoryLogAndMemory() {
        FakeMember anna = talkative();
        history.store(anna.recent().subList(0, 9)); // up to t7, and memory begins after t10
        FakeMember bert = member(ROOM, 2, new Since.History(15)).joined();
        bert.awaitHeard("JOIN 2");
        assertThat(bert.heard()).isEqualTo(and(numbered(5, 20), "JOIN 2"));
        assertSame(bert, anna);
        assertThat(FakeMember.position(bert.frames().getFirst()))
                .isEqualTo(anna.recent().get(6).position() - 1);
    }

    /** As while the consumer catches up: more has been said since than the end of the log that is read for this. */
    @Test
    void lastMessagesComeFromLogAndMemoryIfTheHistoryLags() {
        FakeMember anna = talkative();
        history.store(anna.recent().subList(0, 5));
        for (String text : numbered(20, 320)) anna.said(text);
        FakeMember bert = member(ROOM, 2, new Since.History(15)).joined();
        bert.awaitHeard("JOIN 2");
        assertThat(bert.heard()).isEqualTo(and(numbered(305, 320), "JOIN 2"));
        assertSame(bert, anna);
    }

    @Test
    void lastMessagesComeFromLogAndMemoryIfNothingIsStored() {
        FakeMember anna = talkative();
        FakeMember bert = member(ROOM, 2, new Since.History(15)).joined();
        bert.awaitHeard("JOIN 2");
        assertThat(bert.heard()).isEqualTo(and(numbered(5, 20), "JOIN 2"));
        assertSame(bert, anna);
    }

    /** Some of the log's last messages are duplicates: fewer messages arrive, without a gap between them. */
    @Test
    void lastMessagesHaveNoHoleDespiteDuplicates() {
        FakeMember anna = member(ROOM, 1, new Since.Now()).joined();
        for (String text : numbered(0, 10)) anna.said(text);
        log.appendAgain(log.lastMessages());
        for (String text : numbered(10, 20)) anna.said(text);
        history.store(anna.recent().subList(0, 5));
        FakeMember bert = member(ROOM, 2, new Since.History(15)).joined();
        bert.awaitHeard("JOIN 2");
        assertThat(bert.heard()).isEqualTo(and(numbered(6, 20), "JOIN 2"));
        assertSame(bert, anna);
    }

    @Test
    void lastMessagesComeFromTheHistoryIfTheLogHasOnlyDuplicates() {
        FakeMember anna = member(ROOM, 1, new Since.Now()).joined();
        for (String text : numbered(0, 10)) anna.said(text);
        byte[] twice = log.lastMessages();
        for (int i = 0; i < 20; i++) log.appendAgain(twice);
        for (String text : numbered(10, 19)) anna.said(text);
        history.store(anna.recent().subList(0, 5));
        FakeMember bert = member(ROOM, 2, new Since.History(15)).joined();
        bert.awaitHeard("JOIN 2");
        assertThat(bert.heard()).endsWith(and(numbered(4, 19), "JOIN 2").toArray(String[]::new));
        assertSame(bert, anna);
    }

    /** Later messages have evicted the JOIN from memory. */
    @ParameterizedTest
    @ValueSource(ints = {5, 60})
    void lateHistoryLosesNoMessageAfterTheJoin(int stored) {
        FakeMember anna = member(ROOM, 1, new Since.Now()).joined();
        for (String text : numbered(0, 9)) anna.said(text);
        history.store(anna.recent().subList(0, 5));
        CompletableFuture<Void> late = history.hold();
        FakeMember bert = member(ROOM, 2, new Since.History(15)).join();
        anna.awaitHeard("JOIN 2");
        for (String text : numbered(9, 60)) anna.said(text);
        if (stored > 5) history.store(anna.recent().subList(5, stored));
        late.complete(null);
        bert.awaitHeard("t59");
        assertThat(bert.heard()).contains("t8", "JOIN 2", "t9");
        assertSame(bert, anna);
    }

    @Test
    void departedMemberCancelsItsRequest() {
        FakeMember anna = member(ROOM, 1, new Since.Now()).joined();
        history.hold();
        FakeMember bert = member(ROOM, 2, new Since.History(15)).join();
        anna.awaitHeard("JOIN 2");
        assertThat(history.isTakenBack()).isFalse();
        bert.close(CloseCode.NORMAL);
        bert.await("question taken back", history::isTakenBack);
    }

    @Test
    void lastMessagesOfAQuietRoomComeFromALaggingHistory() {
        FakeMember anna = talkative();
        history.store(anna.recent());
        FakeMember other = member(OTHER, 9, new Since.Now()).joined();
        anna.said("t20");
        for (String text : numbered(0, 300)) other.said(text);
        clock.step(LogSettings.DEFAULT.memory().plusSeconds(1));
        Rooms started = server("started", 1024); // it remembers nothing of the room
        FakeMember bert = new FakeMember(started, clock, ROOM, 2, new Since.History(15)).joined();
        bert.awaitHeard("JOIN 2");
        assertThat(bert.heard()).isEqualTo(and(numbered(5, 21), "JOIN 2"));
        assertSame(bert, anna);
    }

    @Test
    void lastMessagesComeFromLogAndMemoryWithoutHistory() {
        FakeMember anna = talkative();
        history.reachable(false);
        FakeMember bert = member(ROOM, 2, new Since.History(15)).joined();
        bert.awaitHeard("JOIN 2");
        assertThat(bert.heard()).isEqualTo(and(numbered(5, 20), "JOIN 2"));
        assertSame(bert, anna);
    }

    /** A server that starts while the log can't be written to: the first JOIN is refused before anything has been read. */
    @ParameterizedTest
    @MethodSource("pasts")
    void rejectedJoinKeepsTheStartOfHistory(Function<FakeMember, Since> past, int heard) {
        FakeMember anna = talkative();
        history.store(anna.recent());
        clock.step(LogSettings.DEFAULT.memory().plusSeconds(1));
        log.hold();
        Rooms started = server("started", 1024);
        FakeMember bert = new FakeMember(started, clock, ROOM, 2, new Since.Now()).join();
        log.down();
        bert.await("the refusal", () -> bert.refusals().contains("JOIN"));
        log.mend();
        bert.await("the log", started::available);
        FakeMember again = new FakeMember(started, clock, ROOM, 3, past.apply(anna)).joined();
        again.awaitHeard("JOIN 3");
        assertThat(again.heard()).isEqualTo(and(numbered(20 - heard, 20), "JOIN 3"));
    }

    static Stream<Arguments> pasts() {
        Function<FakeMember, Since> resumed =
                anna -> new Since.Resume(anna.recent().getFirst().position());
        Function<FakeMember, Since> last = anna -> new Since.History(7);
        return Stream.of(Arguments.of(resumed, 20), Arguments.of(last, 7));
    }

    @Test
    void concurrentResumesWaitForEachOther() {
        FakeMember anna = talkative();
        history.reachable(false);
        long position = anna.recent().getFirst().position();
        int before = log.openTails();
        log.mostOpenTails();
        List<FakeMember> herd = IntStream.range(2, 30)
                .mapToObj(user -> member(ROOM, user, new Since.Resume(position)).join())
                .toList();
        for (FakeMember again : herd) again.awaitHeard("JOIN 29");
        for (FakeMember again : herd) assertSame(again, anna);
        assertThat(log.mostOpenTails()).isLessThanOrEqualTo(before + READERS);
        assertThat(log.openTails()).isEqualTo(before);
        assertThat(counters.backlogWaits.sum()).isPositive();
    }

    @Test
    void resumeDuringTrafficReceivesAllInOrder() throws Exception {
        FakeMember anna = talkative();
        history.reachable(false);
        long position = anna.recent().getFirst().position();
        Thread talking = Thread.startVirtualThread(() -> {
            for (int i = 20; i < 400; i++) {
                if (i % 20 == 0) anna.said("t" + i);
                else anna.text("t" + i);
            }
        });
        FakeMember again = member(ROOM, 2, new Since.Resume(position)).joined();
        FakeMember twice = member(ROOM, 3, new Since.Resume(position)).joined();
        again.awaitHeard("t399");
        twice.awaitHeard("t399");
        anna.awaitHeard("t399");
        assertSame(again, anna);
        assertSame(twice, anna);
        assertThat(talking.join(Duration.ofMinutes(1))).isTrue();
    }

    @Test
    void readsStopForADepartedMember() {
        FakeMember anna = talkative();
        history.reachable(false);
        int before = log.openTails();
        log.keepFrom(Long.MAX_VALUE / 2); // the log says nothing
        FakeMember again = member(
                        ROOM, 2, new Since.Resume(anna.recent().getFirst().position()))
                .joined();
        again.await("a reader", () -> log.openTails() > before);
        again.close(chat.protocol.CloseCode.NORMAL);
        again.await("the end of the reader", () -> log.openTails() == before);
        assertThat(counters.backlogFailures.sum()).isZero();
    }
}

package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import chat.protocol.ClientFrame.Since;
import chat.protocol.CloseCode;
import chat.protocol.RoomId;
import chat.testing.LoggedLines;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Delivery, acknowledgement, and catching up, over a log in memory. */
class RoomsTest {
    private static final RoomId ROOM = new RoomId("room");
    private static final int REMEMBERED = 10;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final TestServers servers = new TestServers(1);
    private final SteppedClock clock = servers.clock;
    private final BreakableLog log = servers.log;
    private final FakeHistory history = new FakeHistory();
    private final RoomCounters counters = new RoomCounters();
    private final Rooms here = server("here", 3);

    private Rooms server(String id, int historyPage) {
        return server(new TestRoomSettings()
                .serverId(id)
                .recentMessages(REMEMBERED)
                .history(historyPage, PATIENCE)
                .settings());
    }

    private Rooms server(RoomSettings settings) {
        return server(settings, clock);
    }

    private Rooms server(RoomSettings settings, Clock its) {
        return servers.start(settings, its, history, counters);
    }

    @AfterEach
    void close() {
        servers.close();
    }

    private FakeMember member(int user, Since since) {
        return new FakeMember(here, clock, ROOM, user, since);
    }

    private FakeMember member(int user) {
        return member(user, new Since.Now());
    }

    /** The timeout starts with a failure; time during a request does not count. */
    private void endPatience() {
        int before = history.questions();
        Awaitility.await("a question that failed").until(() -> history.questions() > before + 1);
        history.beforeNextAnswer(() -> clock.step(PATIENCE.plusSeconds(1)));
    }

    /** Runs on the partition's thread, so that all that it says goes into one entry. */
    private void together(Runnable saying) {
        here.whenRoom(ROOM, saying);
    }

    private List<String> numbered(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "t" + i).toList();
    }

    @Test
    void welcomePrecedesTheOwnJoin() {
        FakeMember anna = member(1).joined();
        anna.awaitHeard("JOIN 1");
        assertThat(anna.types()).containsExactly("WELCOME", "MESSAGES");
        assertThat(FakeMember.position(anna.frames().getFirst())).isEqualTo(anna.lastPosition() - 1);
    }

    @Test
    void membersAreDistinctUsers() {
        assertThat(members(member(1))).isEqualTo(1);
        FakeMember twice = member(1);
        assertThat(members(twice)).isEqualTo(1);
        FakeMember bert = member(2);
        assertThat(members(bert)).isEqualTo(2);
        UUID left = twice.leave();
        twice.await("ACK", () -> twice.acks().contains(left.toString()));
        assertThat(members(member(3))).isEqualTo(3);
        UUID gone = bert.leave();
        bert.await("ACK", () -> bert.acks().contains(gone.toString()));
        assertThat(members(member(4))).isEqualTo(3);
    }

    private static int members(FakeMember joining) {
        return joining.joined().frames("WELCOME").getFirst().get("members").asInt();
    }

    @Test
    void joinTextAndLeaveInOneEntryKeepTheirOrder() {
        FakeMember witness = member(9).joined();
        FakeMember anna = member(1);
        List<UUID> ids = new ArrayList<>();
        together(() -> {
            witness.text("before");
            anna.join();
            ids.add(anna.text("one"));
            witness.text("between");
            ids.add(anna.leave());
            witness.text("after");
        });
        witness.awaitHeard("after");
        anna.await("ACK", () -> anna.acks().size() == 2);
        assertThat(anna.types()).containsExactly("WELCOME", "MESSAGES", "ACK");
        assertThat(anna.heard()).containsExactly("JOIN 1", "one", "between", "LEAVE 1");
        assertThat(anna.acks())
                .containsExactlyElementsOf(ids.stream().map(UUID::toString).toList());
        assertThat(witness.heard()).containsExactly("JOIN 9", "before", "JOIN 1", "one", "between", "LEAVE 1", "after");
        assertThat(members(member(9))).isEqualTo(1);
    }

    @Test
    void joinReceivesNothingBeforeItInItsEntry() {
        FakeMember anna = member(1).joined();
        FakeMember bert = member(2);
        together(() -> {
            anna.text("before");
            bert.join();
            anna.text("after");
        });
        bert.awaitHeard("after");
        assertThat(bert.heard()).containsExactly("JOIN 2", "after");
        JsonNode welcome = bert.frames().getFirst();
        assertThat(FakeMember.position(welcome)).isEqualTo(bert.lastPosition() - 2);
    }

    @Test
    void leavingMemberReceivesItsLeaveThenItsAck() {
        FakeMember anna = member(1).joined();
        FakeMember bert = member(2).joined();
        List<UUID> ids = new ArrayList<>();
        together(() -> {
            ids.add(anna.text("bye"));
            ids.add(anna.leave());
            bert.text("gone");
        });
        bert.awaitHeard("gone");
        anna.await("ACK", () -> anna.acks().size() == 2);
        assertThat(anna.acks())
                .containsExactlyElementsOf(ids.stream().map(UUID::toString).toList());
        assertThat(anna.heard()).endsWith("bye", "LEAVE 1").doesNotContain("gone");
        assertThat(anna.types()).endsWith("MESSAGES", "ACK");
        bert.said("later");
        assertThat(anna.heard()).doesNotContain("later");
        assertThat(bert.heard()).containsSubsequence("bye", "LEAVE 1", "gone", "later");
    }

    @Test
    void membersOnAllServersHearTheSameOrder() {
        Rooms there = server("there", 3);
        FakeMember anna = member(1).joined();
        FakeMember bert = new FakeMember(there, clock, ROOM, 2, new Since.Now()).joined();
        for (int i = 0; i < 100; i++) {
            anna.text("a" + i);
            bert.text("b" + i);
        }
        anna.awaitHeard("a99");
        anna.awaitHeard("b99");
        bert.awaitHeard("a99");
        bert.awaitHeard("b99");
        List<String> order = anna.heard();
        assertThat(bert.heard()).isEqualTo(order.subList(order.indexOf("JOIN 2"), order.size()));
    }

    @Test
    void resumesFromMemory() {
        FakeMember anna = member(1).joined();
        anna.said("t0");
        long position = anna.lastPosition();
        for (String text : numbered(1, 5)) anna.said(text);
        FakeMember again = member(2, new Since.Resume(position)).joined();
        anna.said("t5");
        again.awaitHeard("t5");
        assertThat(again.heard()).containsExactly("t1", "t2", "t3", "t4", "JOIN 2", "t5");
        assertThat(FakeMember.position(again.frames().getFirst())).isEqualTo(position);
        assertThat(history.questions()).isZero();
        assertThat(counters.resumedFromMemory.sum()).isEqualTo(1);
    }

    @Test
    void resumesFromHistoryPageByPageWhereMemoryDoesNotReachBack() {
        FakeMember anna = member(1).joined();
        for (String text : numbered(0, 20)) anna.said(text);
        List<RecentMessage> all = anna.recent();
        history.store(all);
        FakeMember again =
                member(2, new Since.Resume(all.getFirst().position())).joined();
        again.awaitHeard("JOIN 2");
        List<String> wanted = new ArrayList<>(numbered(0, 20));
        wanted.add("JOIN 2");
        assertThat(again.heard()).isEqualTo(wanted);
        assertThat(again.frames("GAP")).isEmpty();
        assertThat(history.questions()).isGreaterThan(2);
    }

    @Test
    void laggingConsumerIsAwaitedIfTheLogIsUnreadable() {
        FakeMember anna = member(1).joined();
        for (String text : numbered(0, 20)) anna.said(text);
        List<RecentMessage> all = anna.recent();
        log.readable(false);
        history.store(all.subList(0, 5));
        FakeMember again =
                member(2, new Since.Resume(all.getFirst().position())).joined();
        again.awaitHeard("t3");
        history.reachable(false);
        clock.step(PATIENCE.minusSeconds(20));
        int before = history.questions();
        again.await("another question", () -> history.questions() > before);
        history.store(all.subList(5, all.size()));
        history.reachable(true);
        again.awaitHeard("JOIN 2");
        assertThat(again.heard()).startsWith("t0", "t1", "t2", "t3", "t4", "t5").hasSize(21);
        assertThat(again.frames("GAP")).isEmpty();
    }

    @Test
    void joinsAndLeavesAreLoggedAtDebugLevel() {
        try (LoggedLines lines = LoggedLines.of(Memberships.class.getName(), Level.DEBUG)) {
            FakeMember anna = member(1).joined();
            FakeMember bert = member(2).joined();
            anna.leave();
            bert.awaitHeard("LEAVE 1");
            assertThat(lines.texts())
                    .containsExactly(
                            "session direct joined room room",
                            "session direct joined room room",
                            "session direct left room room");
        }
    }

    @Test
    void slowRemovalFromARoomIsLogged() {
        EventLoopQueue slow = new EventLoopQueue(
                step -> {
                    clock.step(Duration.ofMillis(101));
                    step.run();
                },
                1 << 20);
        try (LoggedLines lines = LoggedLines.of(Memberships.class.getName(), Level.WARN)) {
            FakeMember anna = new FakeMember(here, clock, ROOM, 1, new Since.Now(), slow).joined();
            UUID id = anna.leave();
            anna.await("ACK", () -> anna.acks().contains(id.toString()));
            assertThat(lines.texts())
                    .singleElement()
                    .asString()
                    .startsWith("removing a session from room room took 10");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, -1})
    void wrongClockDoesNotAffectDelivery(long hours) {
        FakeMember anna = member(1).joined();
        UUID id = anna.text("once");
        anna.awaitHeard("once");
        Clock wrong = Clock.offset(clock, Duration.ofHours(hours));
        Rooms there = server(new TestRoomSettings().serverId("there").settings(), wrong);
        FakeMember bert = new FakeMember(there, wrong, ROOM, 2, new Since.Resume(anna.lastPosition())).joined();
        bert.said("there");
        anna.awaitHeard("there");
        anna.said("here");
        bert.awaitHeard("here");
        assertThat(bert.heard()).containsExactly("JOIN 2", "there", "here");

        // It knows what was said before it began.
        FakeMember again = new FakeMember(there, wrong, ROOM, 1, new Since.Now()).joined();
        again.text("once", id);
        again.await("ACK", () -> again.acks().contains(id.toString()));
        again.said("last");
        anna.awaitHeard("last");
        assertThat(anna.heard()).containsExactly("JOIN 1", "once", "JOIN 2", "there", "here", "JOIN 1", "last");
        assertThat(counters.acknowledgedAgain.sum()).isEqualTo(1);
        assertThat(bert.frames("GAP")).isEmpty();
    }

    @Test
    void clockSetForwardEndsNoTimeout() {
        FakeMember anna = member(1).joined();
        for (String text : numbered(0, 20)) anna.said(text);
        List<RecentMessage> all = anna.recent();
        log.readable(false);
        history.reachable(false);
        FakeMember again =
                member(2, new Since.Resume(all.getFirst().position())).joined();
        clock.turn(PATIENCE.multipliedBy(60));
        int before = history.questions();
        again.await("two more questions", () -> history.questions() > before + 1);
        history.store(all);
        history.reachable(true);
        again.awaitHeard("JOIN 2");
        assertThat(again.heard()).startsWith("t0", "t1").hasSize(21);
        assertThat(again.frames("GAP")).isEmpty();
    }

    @Test
    void clockSetBackExtendsNoTimeout() {
        FakeMember anna = member(1).joined();
        for (String text : numbered(0, 20)) anna.said(text);
        log.readable(false);
        history.reachable(false);
        FakeMember again =
                member(2, new Since.Resume(anna.recent().getFirst().position())).joined();
        clock.turn(PATIENCE.multipliedBy(-60));
        endPatience();
        again.awaitHeard("JOIN 2");
        assertThat(again.frames("GAP")).hasSize(1);
    }

    @Test
    void slowSocketReceivesNoGapForTheFirstFailedRequest() {
        FakeMember anna = member(1).joined();
        for (String text : numbered(0, 20)) anna.said(text);
        List<RecentMessage> all = anna.recent();
        log.readable(false);
        history.reachable(false);
        FakeMember again = member(2, new Since.Resume(all.getFirst().position()));
        again.keepsUp(false);
        again.joined();
        clock.step(PATIENCE.plusSeconds(1));
        again.keepsUp(true);
        assertHistoryIsWaitedFor(again, all);
    }

    private void assertHistoryIsWaitedFor(FakeMember again, List<RecentMessage> all) {
        again.await("questions", () -> history.questions() > 2);
        history.store(all);
        history.reachable(true);
        again.awaitHeard("JOIN 2");
        assertThat(again.frames("GAP")).isEmpty();
    }

    @Test
    void queuedRequestDoesNotUseUpTheTimeout() {
        FakeMember anna = member(1).joined();
        for (String text : numbered(0, 20)) anna.said(text);
        List<RecentMessage> all = anna.recent();
        log.readable(false);
        history.reachable(false);
        history.beforeNextAnswer(() -> clock.step(PATIENCE.plusSeconds(1)));
        FakeMember again =
                member(2, new Since.Resume(all.getFirst().position())).joined();
        assertHistoryIsWaitedFor(again, all);
    }

    @Test
    void messagesOfNoSourceAreAGap() {
        FakeMember anna = member(1).joined();
        for (String text : numbered(0, 20)) anna.said(text);
        List<RecentMessage> all = anna.recent();
        log.readable(false);
        history.store(all.subList(0, 5));
        FakeMember again =
                member(2, new Since.Resume(all.getFirst().position())).joined();
        again.awaitHeard("t3");
        endPatience();
        again.awaitHeard("JOIN 2");
        assertThat(again.types()).filteredOn("GAP"::equals).hasSize(1);
        JsonNode gap = again.frames("GAP").getFirst();
        assertThat(gap.get("from").asString())
                .isEqualTo(Long.toString(all.get(4).position()));
        long to = Long.parseLong(gap.get("to").asString());
        List<String> rest = again.heard().subList(4, again.heard().size());
        assertThat(rest)
                .isEqualTo(anna.heard()
                        .subList(anna.heard().size() - rest.size(), anna.heard().size()));
        assertThat(all.stream().filter(message -> message.position() > to).count() + 1)
                .isEqualTo(rest.size());
        assertThat(counters.resumeGaps.sum()).isEqualTo(1);
    }

    @Test
    void gapInTheHistoryIsSentInOrder() {
        FakeMember anna = member(1).joined();
        for (String text : numbered(0, 20)) anna.said(text);
        List<RecentMessage> all = anna.recent();
        history.store(all.subList(0, 4));
        history.lose(all.get(3).position(), all.get(6).position());
        history.store(all.subList(7, all.size()));
        FakeMember again =
                member(2, new Since.Resume(all.getFirst().position())).joined();
        again.awaitHeard("JOIN 2");
        List<String> wanted = new ArrayList<>(numbered(0, 3));
        wanted.addAll(numbered(6, 20));
        wanted.add("JOIN 2");
        assertThat(again.heard()).isEqualTo(wanted);
        List<String> types = again.types();
        int gap = types.indexOf("GAP");
        assertThat(again.frames().get(gap - 1).get("position").asString())
                .isEqualTo(again.frames().get(gap).get("from").asString());
        assertThat(types).filteredOn("GAP"::equals).hasSize(1);
    }

    @Test
    void messageStoredBeforeItWasReadIsSentOnce() {
        FakeMember anna = member(1).joined();
        for (String text : numbered(0, 20)) anna.said(text);
        List<RecentMessage> all = new ArrayList<>(anna.recent());
        // A second server, whose members have to ask for more than it remembers: in one page.
        FakeMember first = new FakeMember(server("there", 50), clock, ROOM, 3, new Since.Now()).joined();
        first.awaitHeard("JOIN 3");
        // The next JOIN and what follows it, as a consumer that is ahead of this server has them.
        long join = first.lastPosition() + 2048;
        byte[] early = "{\"messageType\":\"TEXT\",\"message\":\"early\"}".getBytes(StandardCharsets.UTF_8);
        all.add(new RecentMessage(first.lastPosition(), early));
        for (int i = 0; i < 3; i++) all.add(new RecentMessage(join + 2048L * i, early));
        history.store(all);
        FakeMember again = new FakeMember(
                        servers.last(),
                        clock,
                        ROOM,
                        2,
                        new Since.Resume(all.getFirst().position()))
                .joined();
        again.awaitHeard("JOIN 2");
        anna.said("t20");
        anna.said("t21");
        again.awaitHeard("t21");
        List<String> wanted = new ArrayList<>(numbered(0, 20));
        wanted.addAll(List.of("JOIN 3", "JOIN 2", "t20", "t21"));
        assertThat(again.heard()).isEqualTo(wanted);
    }

    @Test
    void historyIsTakenFromMemoryWhereThatSuffices() {
        FakeMember anna = member(1).joined();
        for (String text : numbered(0, 5)) anna.said(text);
        FakeMember bert = member(2, new Since.History(3)).joined();
        bert.awaitHeard("JOIN 2");
        assertThat(bert.heard()).containsExactly("t2", "t3", "t4", "JOIN 2");
        assertThat(history.questions()).isZero();
        long oldest = anna.recent().get(3).position();
        assertThat(FakeMember.position(bert.frames().getFirst())).isEqualTo(oldest - 1);
    }

    @Test
    void historyCombinesStoredMessagesAndMemory() {
        FakeMember anna = member(1).joined();
        for (String text : numbered(0, 20)) anna.said(text);
        history.store(anna.recent().subList(0, 17)); // lags, but not behind memory
        FakeMember bert = member(2, new Since.History(15)).joined();
        bert.awaitHeard("JOIN 2");
        List<String> wanted = new ArrayList<>(numbered(5, 20));
        wanted.add("JOIN 2");
        assertThat(bert.heard()).isEqualTo(wanted);
        assertThat(bert.frames("GAP")).isEmpty();
    }

    @Test
    void ofStoredMessagesOfOnePositionNoneIsCutOffTheHistory() {
        FakeMember anna = member(1).joined();
        for (String text : numbered(0, 20)) anna.said(text);
        List<RecentMessage> stored = new ArrayList<>(anna.recent().subList(0, 17));
        // A broker that lost power gave the place of the oldest that is wanted, t5, to another message.
        byte[] lost = "{\"messageType\":\"TEXT\",\"message\":\"lost\"}".getBytes(StandardCharsets.UTF_8);
        stored.add(6, new RecentMessage(stored.get(6).position(), lost));
        history.store(stored);
        FakeMember bert = member(2, new Since.History(15)).joined();
        bert.awaitHeard("JOIN 2");
        List<String> wanted = new ArrayList<>(List.of("lost"));
        wanted.addAll(numbered(5, 20));
        wanted.add("JOIN 2");
        assertThat(bert.heard()).isEqualTo(wanted);
        assertThat(FakeMember.position(bert.frames().getFirst()))
                .isEqualTo(stored.get(6).position() - 1);
    }

    @Test
    void allStoredMessagesOfOnePositionAreSent() {
        FakeMember anna = member(1).joined();
        for (String text : numbered(0, 20)) anna.said(text);
        List<RecentMessage> stored = new ArrayList<>(anna.recent());
        // More than a page: the history returns them all.
        for (String text : List.of("lost 4", "lost 3", "lost 2", "lost 1"))
            stored.add(
                    4,
                    new RecentMessage(
                            stored.get(4).position(),
                            "{\"messageType\":\"TEXT\",\"message\":\"%s\"}"
                                    .formatted(text)
                                    .getBytes(StandardCharsets.UTF_8)));
        history.store(stored);
        FakeMember again =
                member(2, new Since.Resume(anna.recent().getFirst().position())).joined();
        again.awaitHeard("JOIN 2");
        List<String> wanted = new ArrayList<>(numbered(0, 3));
        wanted.addAll(List.of("lost 1", "lost 2", "lost 3", "lost 4"));
        wanted.addAll(numbered(3, 20));
        wanted.add("JOIN 2");
        assertThat(again.heard()).isEqualTo(wanted);
        assertThat(again.frames("GAP")).isEmpty();
    }

    @Test
    void withoutHistoryAndLogMemoryIsSent() {
        FakeMember anna = member(1).joined();
        for (String text : numbered(0, 20)) anna.said(text);
        history.reachable(false);
        log.readable(false);
        FakeMember bert = member(2, new Since.History(15)).joined();
        bert.awaitHeard("JOIN 2");
        assertThat(bert.heard()).endsWith("t18", "t19", "JOIN 2").hasSize(REMEMBERED);
        assertThat(bert.frames("GAP")).isEmpty();
    }

    @Test
    void textDuringCatchUpIsAcknowledgedAfterDelivery() {
        FakeMember anna = member(1).joined();
        for (String text : numbered(0, 20)) anna.said(text);
        FakeMember again = member(2, new Since.Resume(anna.recent().getFirst().position()));
        again.keepsUp(false);
        again.joined();
        UUID id = again.text("mine");
        anna.awaitHeard("mine");
        clock.step(PATIENCE.multipliedBy(3)); // waiting for the reader is not waiting for the consumer
        assertThat(again.types()).containsExactly("WELCOME");
        history.store(anna.recent());
        again.keepsUp(true);
        again.await("ACK", () -> again.acks().contains(id.toString()));
        List<String> wanted = new ArrayList<>(numbered(0, 20));
        wanted.add("JOIN 2");
        wanted.add("mine");
        assertThat(again.heard()).isEqualTo(wanted);
        again.await("MEMBERS", () -> !again.frames("MEMBERS").isEmpty());
        assertThat(again.types()).endsWith("MESSAGES", "ACK", "MEMBERS");
        assertThat(again.frames("GAP")).isEmpty();
    }

    /** Resumes behind the first of 20 texts, and takes nothing yet. */
    private FakeMember catchesUpSlowly(FakeMember speaker) {
        for (String text : numbered(0, 20)) speaker.said(text);
        FakeMember slow = member(2, new Since.Resume(speaker.recent().getFirst().position()));
        slow.keepsUp(false);
        return slow.joined();
    }

    @Test
    void memberThatLeavesDuringCatchUpReceivesMessagesBeforeItsLeave() {
        FakeMember anna = member(1).joined();
        FakeMember again = catchesUpSlowly(anna);
        UUID left = again.leave();
        anna.awaitHeard("LEAVE 2");
        anna.said("after");
        history.store(anna.recent());
        again.keepsUp(true);
        again.await("ACK", () -> again.acks().contains(left.toString()));
        assertThat(again.heard()).hasSize(22).endsWith("t19", "JOIN 2", "LEAVE 2");
        anna.said("later");
        assertThat(again.heard()).hasSize(22);
        assertThat(members(member(3))).isEqualTo(2);
    }

    @Test
    void rejoinDuringCatchUpReceivesOneHistory() {
        FakeMember anna = member(1).joined();
        FakeMember again = catchesUpSlowly(anna);
        UUID left = again.leave();
        anna.awaitHeard("LEAVE 2");
        again.joinAgain(new Since.Resume(anna.lastPosition()));
        again.await("the second WELCOME", () -> again.frames("WELCOME").size() == 2);
        anna.said("after");
        history.store(anna.recent());
        again.keepsUp(true);
        again.awaitHeard("after");
        assertThat(again.types()).startsWith("WELCOME", "ACK", "WELCOME", "MESSAGES");
        assertThat(again.acks()).containsExactly(left.toString());
        assertThat(again.heard()).containsExactly("JOIN 2", "after");
    }

    @Test
    void rejectedMessageLeavesNoTrace() {
        FakeMember anna = member(1).joined();
        anna.said("first");
        log.refuse();
        FakeMember bert = member(2);
        List<UUID> ids = new ArrayList<>();
        together(() -> {
            ids.add(anna.text("refused"));
            bert.join();
            ids.add(anna.leave());
        });
        anna.await("refusals", () -> anna.refusals().size() == 2);
        bert.await("refusal", () -> bert.refusals().size() == 1);
        assertThat(anna.refusals()).containsExactly("TEXT " + ids.get(0), "LEAVE " + ids.get(1));
        assertThat(bert.refusals()).containsExactly("JOIN");
        log.mend();
        anna.said("still here");
        assertThat(anna.heard()).containsExactly("JOIN 1", "first", "still here");
        assertThat(bert.frames()).isEmpty();
        assertThat(members(member(3))).isEqualTo(2);
    }

    @Test
    void unknownOutcomeClosesTheSession() {
        FakeMember anna = member(1).joined();
        FakeMember bert = member(2).joined();
        anna.said("first");
        log.swallow();
        anna.text("swallowed");
        anna.await("swallowing", () -> log.swallowed() > 0);
        clock.step(Duration.ofSeconds(31));
        anna.await("close", () -> anna.closed() != null);
        assertThat(anna.closed()).isEqualTo(CloseCode.OUTCOME_UNKNOWN);
        assertThat(bert.closed()).isNull();
    }

    @Test
    void memberWithAPendingLeaveReceivesNothing() {
        FakeMember anna = member(1).joined();
        FakeMember bert = member(2).joined();
        bert.leaveLater();
        anna.said("alone");
        assertThat(bert.heard()).doesNotContain("alone");
        anna.awaitHeard("LEAVE 2");
        assertThat(members(member(3))).isEqualTo(2);
    }
}

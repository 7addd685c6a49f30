package chat.server.intake;

import static org.assertj.core.api.Assertions.assertThat;

import chat.kit.identity.Identity;
import chat.kit.identity.Role;
import chat.kit.identity.RoomPatterns;
import chat.kit.identity.RoomRights;
import chat.log.InMemoryRoomLog;
import chat.log.LogCounters;
import chat.log.LogSettings;
import chat.protocol.CloseCode;
import chat.protocol.ErrorCode;
import chat.protocol.FrameDecoder;
import chat.protocol.FrameError;
import chat.protocol.FrameRules;
import chat.protocol.RoomId;
import chat.server.admission.RateScope;
import chat.server.admission.Rates;
import chat.server.admission.SteppedMeter;
import chat.server.admission.TestRates;
import chat.server.identity.SessionIdentity;
import chat.server.room.BreakableLog;
import chat.server.room.DirectSubscriber;
import chat.server.room.NoHistory;
import chat.server.room.RoomCounters;
import chat.server.room.RoomSettings;
import chat.server.room.Rooms;
import chat.server.room.SteppedClock;
import chat.server.room.Subscriber;
import chat.server.room.TestRoomSettings;
import chat.server.room.TestRooms;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One session's intake, in front of real rooms on a log that can be made to fail. */
class IntakeTest {
    private static final RoomId ROOM = new RoomId("room");
    private static final String IDENTITY =
            "\"userId\":\"1\",\"username\":\"anna\",\"timestamp\":\"2026-11-20T10:00:00Z\"}";
    private static final String JOIN = "{\"messageType\":\"JOIN\"," + IDENTITY;
    private static final String LEAVE = "{\"messageType\":\"LEAVE\"," + IDENTITY;
    private static final String TOKEN = "{\"messageType\":\"TOKEN\",\"token\":\"x\"}";
    private static final int MAX_FAULTS = 5;

    private final SteppedClock stepped = new SteppedClock();
    private final Clock clock = Clock.systemUTC();
    private final InMemoryRoomLog memory = new InMemoryRoomLog(1, 16 << 20, clock);
    private final BreakableLog log = new BreakableLog(memory);
    private final IntakeCounters counters = new IntakeCounters();
    private final RoomCounters roomCounters = new RoomCounters();
    private final Rooms rooms = rooms();
    private final FakeSession session = new FakeSession();
    private final Intake intake = intake(session);

    private Intake intake(FakeSession of) {
        return intake(of, TestRates.unlimited());
    }

    private Intake intake(FakeSession of, Rates rates) {
        return intake(of, rates, SessionIdentity.unverified());
    }

    private Intake intake(FakeSession of, Rates rates, SessionIdentity speaker) {
        return intake(of, rates, speaker, clock);
    }

    private Intake intake(FakeSession of, Rates rates, SessionIdentity speaker, Clock clock) {
        return new Intake(
                rooms,
                new FrameDecoder(FrameRules.DEFAULT),
                new IntakeSettings(2, MAX_FAULTS, 700),
                clock,
                stepped::nanoTime,
                new MessageIds(clock),
                counters,
                rates,
                new byte[0],
                speaker,
                of);
    }

    private Rooms rooms() {
        RoomSettings settings = new TestRoomSettings()
                .recent(1 << 14, 1 << 22, 1 << 22)
                .rememberedIds(1 << 16)
                .history(100, Duration.ZERO)
                .settings();
        LogSettings small = new LogSettings(
                1,
                Duration.ZERO,
                512 * 1024,
                100,
                Duration.ofSeconds(5),
                Duration.ofSeconds(15),
                Duration.ofSeconds(30),
                Duration.ofMinutes(2),
                Duration.ofMillis(50));
        return TestRooms.of(log, settings, small, clock, new NoHistory(), new LogCounters(), roomCounters);
    }

    @AfterEach
    void close() {
        rooms.close();
        memory.close();
        session.loop.shutdown();
    }

    /** A session whose event loop is one thread, and that takes everything. */
    private static final class FakeSession extends DirectSubscriber implements Intake.Session {
        private volatile @Nullable Thread thread;
        final ExecutorService loop = Executors.newSingleThreadExecutor(step -> thread = new Thread(step));
        private final List<JsonNode> frames = new ArrayList<>();
        private final List<FrameError> errors = new ArrayList<>();
        private int reads;
        private int abuses;
        private int tooFast;
        boolean hasToken;
        private final List<Timer> timers = new ArrayList<>();

        private record Timer(long nanos, Runnable step) {}

        @Override
        public Subscriber subscriber() {
            return this;
        }

        @Override
        public void tokenAccepted(long expiresAt) {
            if (!hasToken) throw new AssertionError("nobody has given one");
        }

        /** Detects calls outside the event loop. */
        private void onlyOnLoop() {
            if (!Thread.currentThread().equals(thread)) throw new AssertionError("not on the session's event loop");
        }

        /** Runs a step on the loop, and waits until it has. */
        void onLoop(Runnable step) {
            try {
                loop.submit(step).get(20, TimeUnit.SECONDS);
            } catch (InterruptedException | ExecutionException | TimeoutException failure) {
                throw new AssertionError(failure);
            }
        }

        @Override
        public synchronized void reply(FrameError error) {
            onlyOnLoop();
            errors.add(error);
        }

        @Override
        public void execute(Runnable step) {
            try {
                loop.execute(step);
            } catch (RejectedExecutionException ended) {
                // So has the test.
            }
        }

        @Override
        public synchronized void readMore() {
            onlyOnLoop();
            reads++;
        }

        @Override
        public synchronized void tooManyFaults() {
            abuses++;
        }

        @Override
        public synchronized void tooFast() {
            tooFast++;
        }

        @Override
        public synchronized void executeAfter(long nanos, Runnable step) {
            timers.add(new Timer(nanos, step));
        }

        /** Lets the timers run that have been set, those of a session that has ended as well. */
        void fire() {
            List<Timer> due;
            synchronized (this) {
                due = List.copyOf(timers);
                timers.clear();
            }
            due.forEach(timer -> execute(timer.step()));
        }

        synchronized int timesTooFast() {
            return tooFast;
        }

        @Override
        public synchronized void write(ByteBuf frame) {
            String json = frame.toString(StandardCharsets.UTF_8);
            frames.add(JsonMapper.shared().readTree(json.substring(json.indexOf("{\""))));
            frame.release();
        }

        @Override
        public void close(CloseCode code) {}

        @Override
        public boolean isOpen() {
            return true;
        }

        synchronized List<FrameError> errors() {
            return List.copyOf(errors);
        }

        synchronized int reads() {
            return reads;
        }

        synchronized int abuses() {
            return abuses;
        }

        synchronized List<String> texts() {
            List<String> texts = new ArrayList<>();
            for (JsonNode frame : frames)
                if (frame.get("type").asString().equals("MESSAGES"))
                    frame.get("messages")
                            .forEach(message -> texts.add(
                                    message.has("message")
                                            ? message.get("message").asString()
                                            : message.get("messageType").asString()));
            return texts;
        }

        synchronized List<String> types() {
            return frames.stream().map(frame -> frame.get("type").asString()).toList();
        }

        synchronized int count(String type) {
            return (int) frames.stream()
                    .filter(frame -> frame.get("type").asString().equals(type))
                    .count();
        }
    }

    private void receive(String frame) {
        receive(frame, intake);
    }

    private void receive(String frame, Intake by) {
        receive(frame, by, session);
    }

    private static void receive(String frame, Intake by, FakeSession of) {
        of.onLoop(() -> by.receive(frame.getBytes(StandardCharsets.UTF_8), ROOM));
    }

    private static String text(String text, UUID id) {
        return "{\"messageType\":\"TEXT\",\"messageId\":\"" + id + "\",\"message\":\"" + text + "\"," + IDENTITY;
    }

    private static String text(String text) {
        return text(text, UUID.randomUUID());
    }

    private void joined() {
        int before = session.count("WELCOME");
        receive(JOIN);
        Awaitility.await().until(() -> session.count("WELCOME") > before);
    }

    private FrameError error(int index) {
        Awaitility.await().until(() -> session.errors().size() > index);
        return session.errors().get(index);
    }

    @Test
    void eachFrameIsDealtWithBeforeTheNextIsRead() {
        joined();
        receive(text("one"));
        receive("[" + text("two") + "," + text("three") + "]");
        Awaitility.await().until(() -> session.texts().size() == 4);
        assertThat(session.texts()).containsExactly("JOIN", "one", "two", "three");
        assertThat(session.reads()).isEqualTo(3);
        assertThat(counters.taken.sum()).isEqualTo(4);
    }

    @Test
    void whereTheLogHasNoRoomNothingMoreIsReadUntilThereIs() {
        joined();
        log.hold();
        StringBuilder frame = new StringBuilder("[");
        for (int i = 0; i < 350; i++) frame.append(i == 0 ? "" : ",").append(text("t" + i));
        int reads = session.reads();
        receive(frame.append("]").toString());
        assertThat(session.reads()).isEqualTo(reads);
        assertThat(counters.paused.sum()).isPositive();
        assertThat(counters.waitingBytes.sum()).isEqualTo(frame.length());
        log.mend();
        Awaitility.await().until(() -> session.reads() == reads + 1);
        assertThat(counters.waitingBytes.sum()).isZero();
        Awaitility.await().until(() -> session.texts().size() == 351);
        List<String> wanted = new ArrayList<>(List.of("JOIN"));
        for (int i = 0; i < 350; i++) wanted.add("t" + i);
        assertThat(session.texts()).isEqualTo(wanted);
        assertThat(session.errors()).isEmpty();
    }

    @Test
    void queuedMessagesOfAnEndedSessionAreNotCounted() {
        joined();
        log.hold();
        StringBuilder frame = new StringBuilder("[");
        for (int i = 0; i < 350; i++) frame.append(i == 0 ? "" : ",").append(text("t" + i));
        receive(frame.append("]").toString());
        assertThat(counters.waitingBytes.sum()).isPositive();
        session.onLoop(intake::end);
        assertThat(counters.waitingBytes.sum()).isZero();
        log.mend();
        Awaitility.await().until(() -> session.texts().contains("t0"));
        session.onLoop(() -> {});
        assertThat(counters.waitingBytes.sum()).isZero();
    }

    /** A client may send them right behind its JOIN. */
    @Test
    void textsAfterARetryableJoinRejectionAreNoFaults() {
        log.down();
        StringBuilder frame = new StringBuilder("[" + JOIN);
        for (int i = 0; i < 2 * MAX_FAULTS; i++) frame.append(',').append(text("t" + i));
        receive(frame.append("]").toString());
        assertThat(error(0).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        for (int i = 1; i <= 2 * MAX_FAULTS; i++) assertThat(error(i).code()).isEqualTo(ErrorCode.NOT_JOINED);
        assertThat(session.abuses()).isZero();
        log.mend();
        Awaitility.await().until(rooms::available);
        joined();
        receive(LEAVE);
        for (int i = 0; i < MAX_FAULTS; i++) receive(text("t" + i));
        assertThat(session.abuses()).isEqualTo(1);
    }

    @Test
    void rejectedLeaveAndJoinKeepTheMember() {
        joined();
        log.hold();
        receive(text("on its way"));
        Awaitility.await().until(() -> log.held() == 1);
        receive("[" + LEAVE + "," + JOIN + "]");
        log.down();
        assertThat(error(1).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(error(0).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        log.mend();
        Awaitility.await().until(rooms::available);
        receive(text("still here"));
        Awaitility.await().until(() -> session.texts().contains("still here"));
        assertThat(session.errors()).hasSize(2);
        assertThat(session.texts()).containsExactly("JOIN", "on its way", "still here");
    }

    @Test
    void unavailableLogRejectsTextsAndJoinsAsRetryable() {
        joined();
        log.down();
        UUID id = UUID.randomUUID();
        Awaitility.await().until(() -> !rooms.available());
        receive(text("now", id));
        FrameError error = error(0);
        assertThat(error.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(error.messageId()).isEqualTo(id);
        assertThat(error.retryAfterMs()).isEqualTo(700);
        log.retryAfter(Duration.ofMillis(1500));
        receive(JOIN.replace("\"messageType\"", "\"roomId\":\"other\",\"messageType\""));
        assertThat(error(1).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(error(1).retryAfterMs()).as("what the log knows").isEqualTo(1501);
        log.mend();
        Awaitility.await().until(rooms::available);
        receive(text("now", id));
        Awaitility.await().until(() -> session.texts().contains("now"));
        assertThat(session.abuses()).isZero();
    }

    @Test
    void rejectedLeaveKeepsTheMember() {
        joined();
        log.refuse();
        receive(LEAVE);
        assertThat(error(0).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        log.mend();
        receive(text("still here"));
        Awaitility.await().until(() -> session.texts().contains("still here"));
        receive(LEAVE);
        Awaitility.await().until(() -> session.texts().contains("LEAVE"));
        receive(text("outside"));
        assertThat(error(1).code()).isEqualTo(ErrorCode.NOT_JOINED);
    }

    @Test
    void rejectedJoinDoesNotJoin() {
        joined();
        receive(LEAVE);
        Awaitility.await().until(() -> session.texts().contains("LEAVE"));
        log.refuse();
        receive(JOIN);
        assertThat(error(0).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        receive(text("outside"));
        assertThat(error(1).code()).isEqualTo(ErrorCode.NOT_JOINED);
        log.mend();
        joined();
    }

    @Test
    void joinRejectionHasTheClientsId() {
        joined();
        receive(LEAVE);
        Awaitility.await().until(() -> session.texts().contains("LEAVE"));
        UUID id = UUID.randomUUID();
        String join = JOIN.replace("\"messageType\"", "\"messageId\":\"" + id + "\",\"messageType\"");
        log.refuse();
        receive(join);
        assertThat(error(0).messageId()).as("refused by the log").isEqualTo(id);
        log.down();
        Awaitility.await().until(() -> !rooms.available());
        receive(join);
        assertThat(error(1).messageId()).as("not offered to it").isEqualTo(id);
        assertThat(session.errors()).extracting(FrameError::code).containsOnly(ErrorCode.UNAVAILABLE);
    }

    @Test
    void textAfterARejectedJoinIsRejected() {
        joined();
        receive(LEAVE);
        Awaitility.await().until(() -> session.texts().contains("LEAVE"));
        log.refuse();
        UUID id = UUID.randomUUID();
        // The log takes what comes after the JOIN, as one would whose queue was missing for a moment.
        log.whenRefused(log::mend);
        receive("[" + JOIN + "," + text("behind it", id) + "]");
        assertThat(error(0).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(error(1).code()).isEqualTo(ErrorCode.NOT_JOINED);
        assertThat(error(1).messageId()).isEqualTo(id);
        joined();
        receive(text("now it may"));
        Awaitility.await().until(() -> session.texts().contains("now it may"));
        assertThat(session.texts()).doesNotContain("behind it");
    }

    @Test
    void textAfterAJustRejectedJoinIsRejected() {
        joined();
        receive(LEAVE);
        Awaitility.await().until(() -> session.texts().contains("LEAVE"));
        CountDownLatch refused = new CountDownLatch(1);
        log.refuse();
        log.whenRefused(() -> {
            log.mend();
            refused.countDown();
        });
        // In one step, so that the session learns of the rejection afterwards.
        session.onLoop(() -> {
            intake.receive(JOIN.getBytes(StandardCharsets.UTF_8), ROOM);
            await(refused);
            CountDownLatch decided = new CountDownLatch(1);
            rooms.whenRoom(ROOM, () -> rooms.whenRoom(ROOM, decided::countDown));
            await(decided);
            intake.receive(text("behind it").getBytes(StandardCharsets.UTF_8), ROOM);
        });
        assertThat(error(0).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(error(1).code()).isEqualTo(ErrorCode.NOT_JOINED);
        joined();
        assertThat(session.texts()).doesNotContain("behind it");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }

    /** A session joins and ends in one step, and the log holds its JOIN. */
    private void joinsAndEnds(FakeSession other) {
        log.hold();
        Intake second = intake(other);
        other.execute(() -> {
            second.receive(JOIN.replace("\"1\"", "\"43\"").getBytes(StandardCharsets.UTF_8), ROOM);
            second.end();
        });
        Awaitility.await().until(() -> log.held() > 0);
    }

    @Test
    void sessionThatEndsAfterARejectedJoinLeavesNoTrace() {
        FakeSession other = new FakeSession();
        joined();
        try {
            joinsAndEnds(other);
            log.refuseHeld();
            receive(text("after"));
            Awaitility.await().until(() -> session.texts().contains("after"));
            assertThat(session.texts()).containsExactly("JOIN", "after");
        } finally {
            other.loop.shutdown();
        }
    }

    @Test
    void sessionThatEndsAfterItsJoinLeavesOnce() {
        FakeSession other = new FakeSession();
        joined();
        log.hold();
        Intake second = intake(other);
        String join = JOIN.replace("\"1\"", "\"43\"");
        try {
            // In one step, so that the text that waits for the JOIN sees it after the end.
            other.onLoop(() -> {
                second.receive(
                        ("[" + join + "," + text("unsaid").replace("\"1\"", "\"43\"") + "]")
                                .getBytes(StandardCharsets.UTF_8),
                        ROOM);
                log.mend();
                Awaitility.await().until(() -> Collections.frequency(session.texts(), "JOIN") == 2);
                CountDownLatch decided = new CountDownLatch(1);
                rooms.whenRoom(ROOM, decided::countDown);
                await(decided);
                second.end();
            });
            Awaitility.await().until(() -> session.texts().contains("LEAVE"));
            other.onLoop(() -> {});
            receive(text("after"));
            Awaitility.await().until(() -> session.texts().contains("after"));
            assertThat(session.texts()).containsExactly("JOIN", "JOIN", "LEAVE", "after");
        } finally {
            other.loop.shutdown();
        }
    }

    @Test
    void closingSocketDropsTextsThatWaitForTheJoin() {
        FakeSession other = new FakeSession();
        joined();
        log.hold();
        Intake second = intake(other);
        String join = JOIN.replace("\"1\"", "\"43\"");
        String unsaid = text("unsaid").replace("\"1\"", "\"43\"");
        try {
            receive("[" + join + "," + unsaid + "]", second, other);
            other.onLoop(second::close);
            log.mend();
            Awaitility.await().until(() -> other.count("WELCOME") == 1);
            other.onLoop(() -> {}); // behind what waits for the JOIN
            other.onLoop(second::end);
            Awaitility.await().until(() -> session.texts().contains("LEAVE"));
            assertThat(session.texts()).containsExactly("JOIN", "JOIN", "LEAVE");
        } finally {
            other.loop.shutdown();
        }
    }

    @Test
    void stopWaitsForTheLeaveAfterAPendingJoin() {
        FakeSession other = new FakeSession();
        joined();
        try {
            joinsAndEnds(other);
            CompletableFuture<Boolean> drained = CompletableFuture.supplyAsync(() -> {
                boolean inTime = rooms.drain(Duration.ofSeconds(20));
                rooms.close();
                return inTime;
            });
            log.mend();
            Awaitility.await().until(() -> session.texts().contains("LEAVE"));
            assertThat(drained).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(true);
            assertThat(session.texts()).containsExactly("JOIN", "JOIN", "LEAVE");
        } finally {
            other.loop.shutdown();
        }
    }

    @Test
    void stopWaitsForALeaveThatTheLogRejects() {
        joined();
        log.down();
        Awaitility.await().until(() -> !rooms.available());
        session.onLoop(intake::end);
        assertThat(rooms.drain(Duration.ofMillis(200))).isFalse();
        log.mend();
        assertThat(rooms.drain(Duration.ofSeconds(20))).isTrue();
        assertThat(roomCounters.presence.lateLeaves.sum()).isEqualTo(1);
    }

    @Test
    void undeliverableRejectionIsNotCounted() {
        joined();
        log.hold();
        session.onLoop(intake::end);
        Awaitility.await().until(() -> log.held() == 1);
        log.refuseHeld();
        Awaitility.await().until(() -> roomCounters.presence.lateLeaves.sum() == 1);
        assertThat(counters.byCode(ErrorCode.UNAVAILABLE).sum()).isZero();
    }

    @Test
    void forbiddenRoomIsLeftEvenIfTheLogRejectsTheLeave() {
        FakeSession other = new FakeSession();
        joined();
        SessionIdentity speaker = SessionIdentity.of(
                identity(RoomPatterns.ALL),
                token -> CompletableFuture.completedFuture(identity(RoomPatterns.NONE)),
                clock);
        other.hasToken = true;
        Intake second = intake(other, TestRates.unlimited(), speaker);
        try {
            receive(JOIN.replace("\"1\"", "\"43\""), second, other);
            Awaitility.await().until(() -> other.count("WELCOME") == 1);
            log.hold();
            receive("{\"messageType\":\"TOKEN\",\"token\":\"x\"}", second, other);
            Awaitility.await().until(() -> log.held() > 0);
            log.refuseHeld();
            Awaitility.await().until(() -> session.texts().contains("LEAVE"));
            receive(text("among us"));
            Awaitility.await().until(() -> session.texts().contains("among us"));
            assertThat(other.texts()).doesNotContain("among us");
            assertThat(other.errors()).extracting(FrameError::code).containsExactly(ErrorCode.FORBIDDEN);
        } finally {
            other.loop.shutdown();
        }
    }

    private Identity identity(RoomPatterns rooms) {
        RoomRights rights = new RoomRights(RoomPatterns.NONE, RoomPatterns.NONE, rooms);
        Instant end = clock.instant().plus(Duration.ofHours(1));
        return new Identity("43", "anna", "anna", rights, Role.MEMBER, end, end);
    }

    @Test
    void rosterRequestIsAnsweredInOrder() {
        receive("[" + JOIN + "," + JOIN.replace("JOIN", "MEMBERS") + "," + text("next") + "]");
        Awaitility.await().until(() -> session.types().contains("ACK"));
        assertThat(session.types()).startsWith("WELCOME").containsSubsequence("MEMBERS", "MESSAGES", "ACK");
        assertThat(session.errors()).isEmpty();
        assertThat(counters.answered.sum()).isEqualTo(1);
        assertThat(session.reads()).isEqualTo(1);
    }

    @Test
    void onlyMembersMayRequestTheRoster() {
        receive(JOIN.replace("JOIN", "MEMBERS"));
        assertThat(error(0).code()).isEqualTo(ErrorCode.NOT_JOINED);
        joined();
        receive(JOIN.replace("JOIN", "MEMBERS").replace("anna", "eve"));
        assertThat(error(1).code()).isEqualTo(ErrorCode.IDENTITY_MISMATCH);
    }

    @Test
    void displayNameOfTheJoinIsThatOfTheSessionInTheRoom() {
        receive(JOIN.replace("\"username\"", "\"displayName\":\"Zo\u00eb\",\"username\""));
        Awaitility.await().until(() -> session.count("WELCOME") == 1);
        receive(text("repeated").replace("\"username\"", "\"displayName\":\"Zo\u00eb\",\"username\""));
        receive(text("left out"));
        Awaitility.await().until(() -> session.texts().contains("left out"));
        assertThat(session.texts()).contains("repeated");
        receive(text("another").replace("\"username\"", "\"displayName\":\"Zoe\",\"username\""));
        Awaitility.await().until(() -> session.errors().size() == 1);
        assertThat(error(0).code()).isEqualTo(ErrorCode.IDENTITY_MISMATCH);
        assertThat(session.texts()).doesNotContain("another");
    }

    @Test
    void sessionThatEndsWithoutTheLogLeavesWhenItIsBack() {
        joined();
        log.down();
        Awaitility.await().until(() -> !rooms.available());
        session.onLoop(intake::end);
        log.mend();
        Awaitility.await().until(() -> roomCounters.presence.lateLeaves.sum() == 1);
    }

    @Test
    void tooManyFaultsAreAbuseButGoodFramesMakeUpForThem() {
        joined();
        for (int i = 0; i < 20; i++) {
            receive("{}");
            receive(text("good"));
        }
        assertThat(session.abuses()).isZero();
        receive("[{},{},{},{},{},{},{},{}]");
        assertThat(session.abuses()).isEqualTo(1);
        assertThat(session.errors()).hasSize(20 + MAX_FAULTS);
    }

    @Test
    void sessionIsLimitedInRooms() {
        for (int i = 0; i < 3; i++)
            receive(JOIN.replace("\"messageType\"", "\"roomId\":\"r" + i + "\",\"messageType\""));
        assertThat(error(0).code()).isEqualTo(ErrorCode.TOO_MANY_ROOMS);
        receive(JOIN.replace("\"messageType\"", "\"roomId\":\"r1\",\"messageType\""));
        assertThat(error(1).code()).isEqualTo(ErrorCode.ALREADY_JOINED);
    }

    @Test
    void memberIsNotWithoutARoom() {
        assertThat(intake.millisWithoutRoom()).isNotNegative();
        joined();
        assertThat(intake.millisWithoutRoom()).isZero();
    }

    @Test
    void sessionWithAQueuedJoinIsNotWithoutARoom() {
        Rates rates = new TestRates().queueOfServer(10, 1, 10).rates(meter);
        FakeSession first = new FakeSession();
        receive(JOIN.replace("anna", "bert"), intake(first, rates), first);
        Intake held = intake(session, rates);
        stepped.step(Duration.ofMinutes(2));
        assertThat(held.millisWithoutRoom()).isEqualTo(120_000);
        receive(JOIN, held);
        assertThat(held.millisWithoutRoom()).isZero();
        first.loop.shutdown();
    }

    @Test
    void clockChangeDoesNotTimeOutSessionsWithoutARoom() {
        Intake turned = intake(session, TestRates.unlimited(), SessionIdentity.unverified(), stepped);
        stepped.turn(Duration.ofHours(1));
        assertThat(turned.millisWithoutRoom()).isBetween(0L, 60_000L);
        stepped.turn(Duration.ofHours(-2));
        stepped.step(Duration.ofMinutes(10));
        assertThat(turned.millisWithoutRoom()).isBetween(600_000L, 660_000L);
    }

    @Test
    void clockSetBackDoesNotBlockTokenRenewal() {
        FakeSession other = new FakeSession();
        other.hasToken = true;
        SessionIdentity speaker = SessionIdentity.of(
                identity(RoomPatterns.ALL),
                token -> CompletableFuture.completedFuture(identity(RoomPatterns.ALL)),
                clock);
        Intake renewing = intake(other, TestRates.unlimited(), speaker, stepped);
        try {
            receive(TOKEN, renewing, other);
            Awaitility.await().until(() -> other.reads() == 1);
            stepped.turn(Duration.ofHours(-1));
            stepped.step(Duration.ofSeconds(1));
            receive(TOKEN, renewing, other);
            Awaitility.await().until(() -> other.reads() == 2);
            assertThat(other.errors()).isEmpty();
        } finally {
            other.loop.shutdown();
        }
    }

    @Test
    void endedSessionLeavesEachOfItsRoomsOnce() {
        joined();
        session.onLoop(() -> {
            intake.end();
            intake.end();
            intake.receive(text("too late").getBytes(StandardCharsets.UTF_8), ROOM);
        });
        Awaitility.await().until(() -> session.texts().contains("LEAVE"));
        assertThat(session.texts()).containsExactly("JOIN", "LEAVE");
    }

    private final SteppedMeter meter = new SteppedMeter();

    /** Advances the clock of the rates and runs due steps. */
    private void pass(Duration time) {
        meter.step(time);
        session.fire();
        session.onLoop(() -> {}); // after the steps in progress
    }

    @Test
    void rateLimitRejectionHasARetryDelayAndIsNoFault() {
        Intake limited = intake(session, new TestRates().session(10, 3).rates(meter));
        receive(JOIN, limited);
        List<UUID> ids = List.of(UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID());
        receive(
                "[" + text("a", ids.get(0)) + "," + text("b", ids.get(1)) + "," + text("c", ids.get(2)) + ","
                        + text("d", ids.get(3)) + "]",
                limited);
        Awaitility.await().until(() -> session.texts().size() == 3);
        assertThat(session.texts()).as("messages count, not frames").containsExactly("JOIN", "a", "b");
        assertThat(session.errors()).extracting(FrameError::code).containsOnly(ErrorCode.RATE_LIMITED);
        assertThat(session.errors()).extracting(FrameError::messageId).containsExactly(ids.get(2), ids.get(3));
        assertThat(session.errors()).extracting(FrameError::retryAfterMs).containsExactly(100, 100);
        assertThat(session.errors().getFirst().errors())
                .containsExactly("too fast: one session may send 10 messages a second, 3 at once");
        for (int i = 0; i < 2 * MAX_FAULTS; i++) receive(text("again"), limited);
        assertThat(session.abuses()).isZero();
        pass(Duration.ofMillis(100));
        receive(text("c", ids.get(2)), limited);
        Awaitility.await().until(() -> session.texts().contains("c"));
        assertThat(counters.byCode(ErrorCode.RATE_LIMITED).sum()).isEqualTo(2 + 2 * MAX_FAULTS);
    }

    @Test
    void goingOnTooFastEndsTheSession() {
        Intake limited =
                intake(session, new TestRates().session(10, 1).maxRefused(7).rates(meter));
        receive(JOIN, limited);
        receive("[" + String.join(",", Collections.nCopies(50, text("x"))) + "]", limited);
        assertThat(session.timesTooFast()).isEqualTo(1);
        assertThat(session.errors()).hasSize(7);
    }

    @Test
    void queuedMessagesKeepTheirOrder() {
        Intake limited = intake(session, new TestRates().queueOfServer(10, 1, 3).rates(meter));
        receive(JOIN, limited);
        int reads = session.reads();
        for (String text : List.of("a", "b", "c", "d")) receive(text(text), limited);
        receive(LEAVE, limited);
        assertThat(session.reads())
                .as("nothing is read behind a LEAVE that waits")
                .isEqualTo(reads + 4);
        assertThat(session.errors()).as("three may wait").hasSize(1);
        for (int turn = 0; turn < 3; turn++) pass(Duration.ofMillis(100));
        Awaitility.await().until(() -> session.texts().size() == 5);
        assertThat(session.texts()).containsExactly("JOIN", "a", "b", "c", "LEAVE");
        Awaitility.await().until(() -> session.reads() == reads + 5);
    }

    @Test
    void messagesAfterAQueuedJoinAreKept() {
        Rates rates = new TestRates().queueOfServer(10, 1, 10).rates(meter);
        FakeSession first = new FakeSession();
        Intake before = intake(first, rates);
        receive(JOIN.replace("anna", "bert"), before, first);
        Intake limited = intake(session, rates);
        int reads = session.reads();
        receive("[" + JOIN + "," + text("a") + "]", limited);
        assertThat(session.reads()).isEqualTo(reads);
        pass(Duration.ofMillis(100));
        Awaitility.await().until(() -> session.reads() == reads + 1);
        pass(Duration.ofMillis(100));
        Awaitility.await().until(() -> session.texts().contains("a"));
        assertThat(session.errors()).isEmpty();
        first.loop.shutdown();
    }

    @Test
    void claimedUserIdsDoNotChargeAnotherUser() {
        Rates rates = new TestRates().user(10, 2).rates(meter);
        Intake liar = intake(session, rates);
        receive(JOIN, liar);
        for (int i = 0; i < 4; i++) receive(text("lie").replace("\"1\"", "\"2\""), liar);
        Awaitility.await()
                .until(() -> session.errors().stream().anyMatch(error -> error.code() == ErrorCode.IDENTITY_MISMATCH));
        FakeSession honest = new FakeSession();
        Intake other = intake(honest, rates);
        receive(JOIN.replace("\"1\"", "\"2\""), other, honest);
        receive(text("true").replace("\"1\"", "\"2\""), other, honest);
        Awaitility.await().until(() -> honest.texts().contains("true"));
        assertThat(honest.errors()).isEmpty();
        honest.loop.shutdown();
    }

    @Test
    void endedSessionDropsQueuedMessages() {
        TestRates test = new TestRates().queueOfServer(10, 2, 10);
        Intake limited = intake(session, test.rates(meter));
        receive(JOIN, limited);
        receive(text("a"), limited);
        receive(text("b"), limited);
        Awaitility.await().until(() -> session.texts().contains("a"));
        session.onLoop(limited::end);
        pass(Duration.ofSeconds(1));
        Awaitility.await().until(() -> session.texts().contains("LEAVE"));
        assertThat(session.texts()).containsExactly("JOIN", "a", "LEAVE");
        assertThat(test.counters.of(RateScope.SERVER).waiting.sum()).isZero();
    }
}
